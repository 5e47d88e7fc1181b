import type { DescMessage, DescMethod, FileRegistry } from '@bufbuild/protobuf'
import { type ErrorCode, errorCodes } from '../core/errors.ts'
import type { Role } from '../core/roles.ts'
import { methodOption } from './descriptors.ts'
import { type Route, readRoute } from './route.ts'

/** The credentials a method asks for (specification 5.1). */
export type Tier = 'public' | 'user' | 'service' | 'dual' | 'admin'

/** What proto/daikon/v1/policy.proto says of a method. */
export type Policy = {
  tier: Tier
  leastRole: Role | undefined
  workspaceField: string | undefined
  /** Split at its dots: `checks.service_name` walks into the repeated field `checks`. */
  serviceField: string[] | undefined
  limitPerMinute: number | undefined
  /** It changes nothing (RFC 9110, 9.2.1). */
  safe: boolean
  /** HTTP status of success. */
  status: number
  /** The response field that is the whole HTTP body, for bare arrays. */
  responseField: string | undefined
  /** The request field that may come over HTTP as a file. */
  upload: Upload | undefined
  /** What its use case may end with, beside what follows from all the above. */
  errors: ErrorCode[]
}

/** How a file becomes a request field (policy.proto). */
export type Upload = {
  field: string
  /** Of a body that is the file. */
  mediaType: string
  /** The part of multipart/form-data that is the file. */
  part: string
  /** Bytes. */
  largest: number
}

/** What is declared of every operation. */
type Declaration = {
  /** `daikon.v1.PermissionService/Check`. */
  name: string
  /** `PermissionService`. */
  service: string
  /** The use case's key, `updateVisibility`. */
  key: string
  policy: Policy
  descriptor: DescMethod
  input: DescMessage
  output: DescMessage
}

/** A declared operation: what both doors and the pipeline know of it. */
export type Method = Declaration & { route: Route }

/** A declared operation whose messages come one after another. */
export type Stream = Declaration & { kind: DescMethod['methodKind'] }

type PolicyJson = {
  tier?: string
  least_role?: string
  workspace_field?: string
  service_field?: string
  limit_per_minute?: number
  status?: number
  response_field?: string
  upload?: { field: string; media_type: string; part: string; largest: number }
  errors?: string[]
}

/** Every method of one answer; throws when one has no policy, no route, or rights that hang in the air. */
export function readMethods(registry: FileRegistry): Method[] {
  return declared(registry)
    .filter(({ methodKind }) => methodKind === 'unary')
    .map((method) => readMethod(registry, method))
}

/** Every streaming method; these are for the inside door alone. */
export function readStreams(registry: FileRegistry): Stream[] {
  return declared(registry)
    .filter(({ methodKind }) => methodKind !== 'unary')
    .map((method) => ({ ...readDeclaration(registry, method, true), kind: method.methodKind }))
}

function declared(registry: FileRegistry): DescMethod[] {
  const own = [...registry.files].filter((file) => file.proto.package === 'daikon.v1')
  return own.flatMap((file) => file.services.flatMap((service) => service.methods))
}

function readMethod(registry: FileRegistry, method: DescMethod): Method {
  const name = methodName(method)
  const http = methodOption(registry, method, 'google.api.http')
  if (!http) throw new Error(`${name} declares no google.api.http`)
  const route = readRoute(name, http as Record<string, string>)
  return { ...readDeclaration(registry, method, route.verb === 'get'), route }
}

function readDeclaration(registry: FileRegistry, method: DescMethod, safe: boolean): Declaration {
  const name = methodName(method)
  const policy = methodOption(registry, method, 'daikon.v1.policy')
  if (!policy) throw new Error(`${name} declares no policy`)
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
  if (!json.tier) throw new Error(`${name} declares no tier`)
  const tier = json.tier.replace('TIER_', '').toLowerCase() as Tier
  const leastRole = json.least_role?.replace('LEAST_ROLE_', '').toLowerCase() as Role | undefined
  if (tier === 'user' && leastRole && !json.workspace_field)
    throw new Error(`${name} asks for a role and names no workspace_field`)
  const serviceField = json.service_field?.split('.')
  for (const field of [json.workspace_field, serviceField?.[0], json.upload?.field]) {
    if (field && !method.input.fields.some((known) => known.name === field))
      throw new Error(`${name} names a field that its request lacks: ${field}`)
  }
  return {
    tier,
    leastRole,
    workspaceField: json.workspace_field,
    serviceField,
    limitPerMinute: json.limit_per_minute,
    safe,
    status: json.status ?? 200,
    responseField: json.response_field,
    upload: readUpload(json),
    errors: (json.errors ?? []).map((kind) => readErrorCode(name, kind)),
  }
}

function readErrorCode(name: string, kind: string): ErrorCode {
  if (!Object.hasOwn(errorCodes, kind))
    throw new Error(`${name} names a fault that there is not: ${kind}`)
  return kind as ErrorCode
}

function readUpload({ upload }: PolicyJson): Upload | undefined {
  if (!upload) return undefined
  const { media_type: mediaType, ...rest } = upload
  return { ...rest, mediaType }
}
