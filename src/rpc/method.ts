import {
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  ScalarType,
} from '@bufbuild/protobuf'
import type { CredentialPolicy } from '../core/credential-kind.ts'
import { type ErrorCode, errorCodes } from '../core/error-codes.ts'
import type { Role } from '../core/roles.ts'
import { managementScopes } from '../core/scopes.ts'
import { type CredentialOptions, readCredentials, type Tier } from './credential-policy.ts'
import { readOption } from './descriptors.ts'
import { type FieldSets, readFieldSets } from './field-sets.ts'
import { isStruct } from './schema.ts'

/** The capacity class of a method (policy.proto). */
export type Capacity =
  | 'default'
  | 'shared_read'
  | 'shared_write'
  | 'shared_list'
  | 'list'
  | 'session'
  | 'sign_in'

/** The external conventions that a method follows, if any (policy.proto). */
export type Profile = 'default' | 'authzen' | 'oauth' | 'gateway' | 'scim'

/** The policy option of a method (policy.proto). */
export type Policy = CredentialPolicy & {
  tier: Tier
  limitPerMinute: number | undefined
  /** Whether a `service` method also accepts an access token, which must then be valid. */
  optionalUser: boolean
  /** Whether an access token that is not valid counts as absent. */
  lenientUser: boolean
  /** Whether a `service` method also accepts an admin token instead of a service key. */
  optionalAdmin: boolean
  /** Whether a `service` method also accepts a client app, which its handler authenticates. */
  optionalClient: boolean
  /** The HTTP status of a successful response. */
  status: number
  /** The response field that becomes the whole HTTP body, for methods that return a bare array. */
  responseField: string | undefined
  /** The request field that REST clients may upload as a file. */
  upload: Upload | undefined
  /**
   * The error codes of the handler, in addition to the ones that the rest of the policy implies.
   */
  errors: ErrorCode[]
  capacity: Capacity
  /** Whether REST ignores undeclared query parameters instead of rejecting them. */
  ignoresUnknownParameters: boolean
  /** Whether REST reads the body as a form instead of JSON. */
  form: boolean
  /** The response field that REST renders as a page. A response without it is a redirect. */
  pageField: string | undefined
  profile: Profile
  /** Seconds for which caches may store a successful response; undefined if they may not. */
  cacheSeconds: number | undefined
  /** The window of the global limit that REST calls count against, if any. */
  globalWindow: 'global' | 'preflight' | undefined
  /** Whether REST accepts JSON bodies of up to 4 MiB instead of 256 KiB. */
  bulk: boolean
  /** Whether REST accepts every HTTP method, without body and CORS. */
  anyMethod: boolean
  /** Whether the limit of service keys also applies over gRPC. */
  serviceLimitOverGrpc: boolean
  /** Whether the response says up to which change a reader must have read to see what the call changed. */
  position: boolean
}

/** The response field of methods whose policy has `position`. */
export const positionField = 'position'

/** A request field that REST clients may upload as a file (policy.proto). */
export type Upload = {
  field: string
  /** The media type of a request whose body is the file. */
  mediaType: string
  /** The part of a multipart/form-data body that is the file. */
  part: string
  maxBytes: number
}

/** The HTTP verbs that routes use. */
export const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const

export type Verb = (typeof verbs)[number]

/** A REST route of a method (google.api.http). */
export type Route = {
  verb: Verb
  /** The path with its variables, such as `/permissions/{permission_id}/share`. */
  path: string
  pathFields: string[]
  /**
   * Fields that the route does not accept, because its path contains a field set that excludes
   * them.
   */
  excludedFields: string[]
  /** Whether the request is read from the body; otherwise it is read from the query. */
  body: boolean
  /** The field that is the whole body; undefined if the body contains the fields. */
  bodyField: string | undefined
}

/** A method as the proto declares it, however it is called. */
export type Declaration = {
  /** The full name, such as `daikon.v1.PermissionService/Check`. */
  name: string
  /** The name of the service, such as `PermissionService`. */
  service: string
  /** The key of the handler, such as `updateVisibility`. */
  key: string
  policy: Policy
  descriptor: DescMethod
  input: DescMessage
  output: DescMessage
}

/** A unary method as the proto declares it. */
export type Method = Declaration & {
  route: Route
  /** `route`, followed by the routes of its `additional_bindings`. */
  routes: Route[]
}

/** A streaming method as the proto declares it. */
export type Stream = Declaration & { kind: DescMethod['methodKind'] }

type PolicyJson = CredentialOptions & {
  cache_seconds?: number
  capacity?: string
  tier?: string
  least_role?: string
  workspace_field?: string
  service_field?: string
  scope?: string
  ignore_unknown_parameters?: boolean
  form?: boolean
  page_field?: string
  limit_per_minute?: number
  status?: number
  response_field?: string
  upload?: { field: string; media_type: string; part: string; max_bytes: number }
  errors?: string[]
  bulk?: boolean
  any_method?: boolean
  service_limit_over_grpc?: boolean
  position?: boolean
}

/** Returns every unary method. Throws if one has no policy or route, or an inconsistent policy. */
export function readMethods(registry: FileRegistry): Method[] {
  return declaredMethods(registry)
    .filter(({ methodKind }) => methodKind === 'unary')
    .map((method) => readMethod(registry, method))
}

/** Returns the streaming methods that are available over gRPC only. */
export function readStreams(registry: FileRegistry): Stream[] {
  return declaredMethods(registry)
    .filter((method) => method.methodKind !== 'unary' && !isWatch(registry, method))
    .map((method) => ({ ...readDeclaration(registry, method, true), kind: method.methodKind }))
}

/**
 * Returns the streams with a route, over which messages are sent until the caller or the server ends
 * them.
 */
export function readWatches(registry: FileRegistry): (Method & { kind: 'server_streaming' })[] {
  return declaredMethods(registry)
    .filter((method) => isWatch(registry, method))
    .map((method) => ({ ...readMethod(registry, method), kind: 'server_streaming' }))
}

function isWatch(registry: FileRegistry, method: DescMethod): boolean {
  const hasRoute = readOption(registry, method, 'google.api.http') !== undefined
  return method.methodKind === 'server_streaming' && hasRoute
}

/** Returns the methods of another API that daikon implements over gRPC, such as Envoy's. */
export function readForeignMethods(registry: FileRegistry): Declaration[] {
  const files = [...registry.files].filter(({ proto }) => proto.package.startsWith('envoy.'))
  const methods = files.flatMap(({ services }) => services.flatMap((service) => service.methods))
  return methods.map((method) => readDeclaration(registry, method, true))
}

function declaredMethods(registry: FileRegistry): DescMethod[] {
  const own = [...registry.files].filter((file) => file.proto.package === 'daikon.v1')
  return own.flatMap((file) => file.services.flatMap((service) => service.methods))
}

function readMethod(registry: FileRegistry, method: DescMethod): Method {
  const name = methodName(method)
  const http = readOption(registry, method, 'google.api.http')
  if (!http) throw new Error(`${name} has no google.api.http option`)
  const fieldSets = readFieldSets(registry, method.input)
  const routes = readRoutes(name, http as HttpRule, method.input, fieldSets)
  const [route] = routes as [Route]
  return { ...readDeclaration(registry, method, route.verb === 'get'), route, routes }
}

function readDeclaration(registry: FileRegistry, method: DescMethod, safe: boolean): Declaration {
  const name = methodName(method)
  const policy = readOption(registry, method, 'daikon.v1.policy')
  if (!policy) throw new Error(`${name} has no policy option`)
  return {
    name,
    service: method.parent.name,
    key: method.localName,
    policy: readPolicy(name, method, policy as PolicyJson, safe),
    descriptor: method,
    input: method.input,
    output: method.output,
  }
}

function methodName({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`
}

function readPolicy(name: string, method: DescMethod, json: PolicyJson, safe: boolean): Policy {
  if (!json.tier) throw new Error(`The policy of ${name} has no tier`)
  const tier = json.tier.replace('TIER_', '').toLowerCase() as Tier
  const leastRole = json.least_role?.replace('LEAST_ROLE_', '').toLowerCase() as Role | undefined
  if (tier === 'user' && leastRole && !json.workspace_field)
    throw new Error(`The policy of ${name} has least_role but no workspace_field`)
  const acceptsAdmin = tier === 'admin' || json.optional_admin === true
  if (acceptsAdmin ? !isScope(json.scope) : json.scope !== undefined)
    throw new Error(`The policy of ${name} has a missing, unknown or superfluous scope`)
  const serviceField = json.service_field?.split('.')
  for (const field of [json.workspace_field, serviceField?.[0], json.upload?.field]) {
    if (field && !method.input.fields.some((declared) => declared.name === field))
      throw new Error(
        `The policy of ${name} names a field that its request does not have: ${field}`,
      )
  }
  if (json.position && !hasPosition(method.output))
    throw new Error(`The response of ${name} has no optional field ${positionField}`)
  return {
    tier,
    ...readCredentials(name, tier, json),
    leastRole,
    workspaceField: json.workspace_field,
    serviceField,
    limitPerMinute: json.limit_per_minute,
    optionalUser: json.optional_user ?? false,
    lenientUser: json.lenient_user ?? false,
    optionalAdmin: json.optional_admin ?? false,
    scope: json.scope,
    optionalClient: json.optional_client ?? false,
    safe,
    status: json.status ?? 200,
    responseField: json.response_field,
    upload: readUpload(json),
    errors: (json.errors ?? []).map((code) => readErrorCode(name, code)),
    capacity: readCapacity(json),
    ignoresUnknownParameters: json.ignore_unknown_parameters ?? false,
    form: json.form ?? false,
    pageField: json.page_field,
    profile: readProfile(json),
    cacheSeconds: json.cache_seconds,
    globalWindow: json.cache_seconds ? undefined : 'global',
    bulk: json.bulk ?? false,
    anyMethod: json.any_method ?? false,
    serviceLimitOverGrpc: json.service_limit_over_grpc ?? false,
    position: json.position ?? false,
  }
}

function hasPosition(output: DescMessage): boolean {
  return output.fields.some(
    ({ name, scalar }) => name === positionField && scalar === ScalarType.STRING,
  )
}

function isScope(scope: string | undefined): boolean {
  return scope !== undefined && (scope === 'none' || managementScopes.includes(scope))
}

function readErrorCode(name: string, code: string): ErrorCode {
  if (!Object.hasOwn(errorCodes, code))
    throw new Error(`The policy of ${name} names an unknown error code: ${code}`)
  return code as ErrorCode
}

function readCapacity({ capacity }: PolicyJson): Capacity {
  return (capacity?.replace('CAPACITY_', '').toLowerCase() ?? 'default') as Capacity
}

function readProfile({ profile = 'PROFILE_DEFAULT' }: PolicyJson): Profile {
  return profile.replace('PROFILE_', '').toLowerCase() as Profile
}

function readUpload({ upload }: PolicyJson): Upload | undefined {
  if (!upload) return undefined
  const { field, media_type: mediaType, part, max_bytes: maxBytes } = upload
  return { field, mediaType, part, maxBytes }
}

type HttpRule = Partial<Record<Verb | 'body', string>> & { additional_bindings?: HttpRule[] }

/** Reads the route of the option and the routes of its additional bindings. */
function readRoutes(
  name: string,
  { additional_bindings = [], ...rule }: HttpRule,
  input: DescMessage,
  fieldSets: FieldSets,
): Route[] {
  return [rule, ...additional_bindings].map((binding) => {
    const route = readRoute(name, binding, input)
    const isInPath = (fields: string[]) => fields.every((field) => route.pathFields.includes(field))
    const otherSets = fieldSets.filter((fields) => !isInPath(fields))
    const namesSet = otherSets.length < fieldSets.length
    return { ...route, excludedFields: namesSet ? otherSets.flat() : [] }
  })
}

function readRoute(
  name: string,
  rule: HttpRule,
  input: DescMessage,
): Omit<Route, 'excludedFields'> {
  const [verb, ...otherVerbs] = verbs.filter((verb) => rule[verb])
  const path = verb && rule[verb]
  if (!path || otherVerbs.length > 0)
    throw new Error(`The google.api.http option of ${name} must have exactly one verb`)
  const bodyField = rule.body === '*' ? undefined : rule.body
  if (bodyField && !input.fields.some((field) => field.name === bodyField && isStruct(field)))
    throw new Error(
      `The body in the google.api.http option of ${name} must be "*" or a field that is a Struct`,
    )
  const pathFields = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field as string)
  return { verb, path, pathFields, body: rule.body !== undefined, bodyField }
}
