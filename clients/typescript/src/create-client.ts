import { createAccessOperations } from './access-operations.ts'
import { createTokenVerifier } from './access-token.ts'
import type { RemoteDaikon } from './api.ts'
import type { ActionsByType, CheckOptions, Context, Resource, Subject } from './argument-types.ts'
import {
  isApiKey,
  nameSubject,
  readObject,
  requireAction,
  requireResource,
  requireType,
  type SubjectName,
} from './arguments.ts'
import { type Caller, createCaller } from './caller.ts'
import { createCheckBatcher, isDecided } from './check-batcher.ts'
import type { Connection } from './connection.ts'
import { invalidArgument } from './errors.ts'
import { accessService, authService, oAuthService } from './gen/methods.ts'
import { createLimiter } from './limiter.ts'
import { createLinkOperations } from './links.ts'
import { requireClientOptions, withKnownNames } from './option-names.ts'
import { readReasons } from './records.ts'
import { resourceId } from './resource-id.ts'
import { createResourceOperations } from './resource-operations.ts'
import { createTypeOperations } from './resource-types.ts'
import { incompleteResponse, requireList, requireText } from './responses.ts'
import type { AccessTokenClaims } from './results.ts'
import { keyAdvice } from './server-errors.ts'
import { type Agent, createExchange, requireAgent } from './token-exchange.ts'
import { deniedTokenError, tokenInvalid } from './token-format.ts'
import { provideIssuer } from './token-issuer.ts'
import { watchActivity } from './watch.ts'

/** The options that do not depend on how the client connects. */
export type ClientOptions = {
  /** The service that your resources belong to, which is the `service_name` of the service key. */
  service: string
  /** The key of the service. Required without `developmentMode`. */
  serviceKey?: string | undefined
  /**
   * Allows a client without `serviceKey`, for a server in development mode, which accepts calls
   * without a key.
   */
  developmentMode?: boolean | undefined
  /** The time limit of an operation in milliseconds, including retries. Defaults to 2,000. */
  deadlineMs?: number | undefined
  /** The maximum number of concurrent calls; further calls wait. Defaults to 16. */
  maxInFlight?: number | undefined
  /**
   * The only `iss` that `verifyAccessToken` accepts. Defaults to the issuer that the server
   * reports.
   */
  issuer?: string | undefined
  /** Who `exchange` obtains tokens for. A client with an agent needs no service key for it. */
  agent?: Agent | undefined
}

const optionNames: (keyof ClientOptions)[] = [
  'service',
  'serviceKey',
  'developmentMode',
  'deadlineMs',
  'maxInFlight',
  'issuer',
  'agent',
]

/** The parts of a client that every transport has, and what sends the calls of others. */
export type ClientParts<Actions extends ActionsByType> = {
  daikon: RemoteDaikon<Actions>
  caller: Caller
}

/**
 * Creates a client that sends its calls over a connection.
 *
 * @param ownNames the names of the transport's own options
 * @throws InvalidArgumentError if an option is missing, malformed or unknown
 */
export function createClient<Actions extends ActionsByType>(
  connect: () => Connection,
  options: ClientOptions,
  ownNames: readonly string[],
): ClientParts<Actions> {
  requireClientOptions([...optionNames, ...ownNames], options)
  const { service, issuer, deadlineMs = 2000, maxInFlight = 16 } = options
  requireOptions({ ...options, deadlineMs, maxInFlight })
  const connection = connect()
  const limiter = createLimiter(maxInFlight)
  const batcher = createCheckBatcher(connection, limiter, { service, deadlineMs })
  const caller = createCaller(connection, limiter, { service, deadlineMs })
  const { send } = caller
  const verifier = createTokenVerifier(async () => {
    const [configuration, keySet] = await Promise.all([
      send(authService.getConfiguration, {}, { retry: true }),
      send(authService.getKeySet, {}, { retry: true }),
    ])
    const issuer = requireText('issuer', configuration.issuer)
    return { issuer, keys: requireList('keys', keySet.keys) }
  }, issuer)

  /** API keys are verified by the server, because they can end at any time. */
  async function verifyApiKey(token: string): Promise<AccessTokenClaims> {
    const found = await send(oAuthService.introspectToken, { token }, { retry: true })
    const { active, token_type, sub, wid, wslug, wrole } = found
    if (typeof active !== 'boolean') throw incompleteResponse('active')
    if (!active || token_type !== 'api_key' || !sub || !wid || !wslug || !wrole)
      throw tokenInvalid('the API key is unknown or no longer valid')
    return {
      sub,
      wid,
      wslug,
      wrole: wrole as AccessTokenClaims['wrole'],
      jti: '',
      email: '',
      name: '',
      iss: '',
      aud: 'daikon',
      type: 'api_key',
      iat: 0,
      exp: found.exp ?? Number.POSITIVE_INFINITY,
    }
  }

  async function* accessibleIds(
    subject: SubjectName,
    action: string,
    type: string,
    { workspaceId, context, ...options }: CheckOptions & { workspaceId?: string | undefined },
  ) {
    const searched = {
      ...context,
      ...(workspaceId !== undefined && { workspace_id: workspaceId }),
    }
    let token = ''
    do {
      const request = {
        subject,
        action: { name: action },
        resource: { type: `${service}:${type}` },
        ...((context || workspaceId !== undefined) && { context: searched }),
        ...(token && { page: { token } }),
      }
      const found = await send(accessService.searchResources, request, {
        ...options,
        retry: true,
      })
      const results = requireList('results', found.results)
      if (!token && results.length === 0) {
        const error = deniedTokenError(subject, found.context)
        if (error) throw error
      }
      for (const { id } of results) yield id
      token = found.page?.next_token ?? ''
    } while (token)
  }

  const daikon: RemoteDaikon<Actions> = {
    check(subject, action, resource, options = {}) {
      const { context } = options
      return new Promise((resolve, reject) =>
        batcher.add({ subject, action, resource, context }, options, { resolve, reject }),
      )
    },

    checkMany(checks, { context, ...options } = {}) {
      return new Promise((resolve, reject) => {
        const results: boolean[] = new Array(checks.length).fill(false)
        let missing = checks.length
        if (missing === 0) return resolve(results)
        for (const { subject, action, resource, context } of checks)
          validate(subject, action, resource, context)
        for (const [index, check] of checks.entries())
          batcher.add({ context, ...check }, options, {
            resolve(isAllowed) {
              results[index] = isAllowed
              missing -= 1
              if (missing === 0) resolve(results)
            },
            reject,
          })
      })
    },

    accessible(subject, action, type, options = {}) {
      return {
        async *[Symbol.asyncIterator]() {
          const name = nameSubject(subject)
          requireAction(action)
          requireType(type)
          const { context } = options
          yield* accessibleIds(name, action, type, {
            ...options,
            context: context && readObject('context', context),
          })
        },
      }
    },

    subjects(action, resource, { type = 'user', context, ...options } = {}) {
      return {
        async *[Symbol.asyncIterator]() {
          requireAction(action)
          requireResource(resource)
          const request = {
            subject: { type },
            action: { name: action },
            resource: { type: `${service}:${resource.type}`, id: resource.id },
            ...(context && { context: readObject('context', context) }),
          }
          const { searchSubjects } = accessService
          let token = ''
          do {
            const page = token ? { page: { token } } : {}
            const found = await send(
              searchSubjects,
              { ...request, ...page },
              { ...options, retry: true },
            )
            for (const { id } of requireList('results', found.results)) yield id
            token = found.page?.next_token ?? ''
          } while (token)
        },
      }
    },

    async explain(subject, action, resource, { context: given, ...options } = {}) {
      const name = validate(subject, action, resource, given)
      const type = `${service}:${resource.type}`
      const request = {
        subject: name,
        action: { name: action },
        resource: { type, id: resource.id },
        context: { ...(given && readObject('context', given)), explain: true },
      }
      const response = await send(accessService.evaluate, request, { ...options, retry: true })
      if (!isDecided(response)) throw incompleteResponse('decision')
      const { decision, context } = response
      const error = decision ? undefined : deniedTokenError(name, context)
      if (error) throw error
      return { allowed: decision, reasons: readReasons(context) }
    },

    ...createResourceOperations(caller),
    ...createLinkOperations(caller),
    ...createTypeOperations(caller),
    ...createAccessOperations<Actions>(caller, connection),

    verifyAccessToken: (token, { audience, delegated = false } = {}) =>
      isApiKey(token) && audience === undefined
        ? verifyApiKey(token)
        : verifier.verify(token, { audience, delegated }),

    exchange: createExchange(caller, options.agent),

    resourceId({ type, id }) {
      requireResource({ type, id })
      return resourceId(service, type, id)
    },

    watch: (options) => watchActivity(connection, options),

    close() {
      batcher.close()
      connection.close()
    },
  }
  return { daikon: provideIssuer(withKnownNames(daikon), verifier.readIssuer), caller }
}

function validate(
  subject: Subject,
  action: string,
  resource: Resource,
  context: Context | undefined,
): SubjectName {
  const name = nameSubject(subject)
  requireAction(action)
  requireResource(resource)
  if (context !== undefined) readObject('context', context)
  return name
}

function requireOptions({
  service,
  serviceKey,
  developmentMode,
  deadlineMs,
  maxInFlight,
  agent,
}: ClientOptions): void {
  const require = (isValid: boolean, field: string, message: string) => {
    if (!isValid) throw invalidArgument({ field, message })
  }
  require(typeof service === 'string' &&
    service !== '', 'service', 'is required: the service_name of your service key')
  require(serviceKey !== undefined ||
    agent !== undefined ||
    developmentMode ===
      true, 'serviceKey', `is required. ${keyAdvice} A server in development mode needs none: set developmentMode: true`)
  require(serviceKey === undefined ||
    (typeof serviceKey === 'string' &&
      /^[\x21-\x7e]+$/.test(
        serviceKey,
      )), 'serviceKey', 'must be a key of daikon (dk_…), without spaces or line breaks')
  if (agent !== undefined) requireAgent(agent)
  require(Number(deadlineMs) > 0, 'deadlineMs', 'must be a positive number of milliseconds')
  require(Number.isInteger(maxInFlight) &&
    Number(maxInFlight) > 0, 'maxInFlight', 'must be a positive integer')
}
