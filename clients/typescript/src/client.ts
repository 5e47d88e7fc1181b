import type { ChannelOptions } from '@grpc/grpc-js'
import { createTokenVerifier } from './access-token.ts'
import type { CheckOptions, Context, DaikonClient, Resource, Subject } from './api.ts'
import {
  isApiKey,
  nameSubject,
  readObject,
  requireAction,
  requireResource,
  requireType,
  type SubjectName,
} from './arguments.ts'
import { createCaller } from './caller.ts'
import { createCheckBatcher } from './check-batcher.ts'
import { createConnection, createLimiter, type TlsOptions } from './connection.ts'
import { invalidArgument } from './errors.ts'
import { AccessServiceService } from './gen/daikon/v1/access.ts'
import { AuthServiceService } from './gen/daikon/v1/auth.ts'
import { OAuthServiceService } from './gen/daikon/v1/oauth.ts'
import { createLinkOperations } from './links.ts'
import { readReasons } from './records.ts'
import { resourceId } from './resource-id.ts'
import { createResourceOperations } from './resource-operations.ts'
import { createTypeOperations } from './resource-types.ts'
import type { AccessTokenClaims } from './results.ts'
import { deniedTokenError, tokenInvalid } from './token-format.ts'
import { watchActivity } from './watch.ts'

export type DaikonOptions = {
  /** The host and port of the gRPC server, such as `localhost:50051`. */
  address: string
  /** The service that your resources belong to, which is the `service_name` of the service key. */
  service: string
  /** The key of the service. Required unless daikon runs in development mode. */
  serviceKey?: string | undefined
  /**
   * `true` or certificates for TLS, `false` for plaintext. Defaults to plaintext for loopback
   * addresses and to TLS for all others.
   */
  tls?: boolean | TlsOptions | undefined
  /** The time limit of an operation in milliseconds, including retries. Defaults to 2,000. */
  deadlineMs?: number | undefined
  /** The maximum number of concurrent calls; further calls wait. Defaults to 16. */
  maxInFlight?: number | undefined
  /**
   * The only `iss` that `verifyAccessToken` accepts. Defaults to the issuer that the server
   * reports.
   */
  issuer?: string | undefined
  /** Options of grpc-js, which override those that the client sets. */
  grpcOptions?: ChannelOptions | undefined
}

/**
 * Creates a client. It connects on first use and reconnects automatically. Use one client for the
 * whole process.
 *
 * @example
 * const daikon = createDaikon({ address: 'localhost:50051', service: 'docs', serviceKey })
 *
 * @throws InvalidArgumentError if an option is missing or malformed
 */
export function createDaikon(options: DaikonOptions): DaikonClient {
  const { service, serviceKey, tls, issuer, grpcOptions } = options
  const { address, deadlineMs = 2000, maxInFlight = 16 } = options
  requireOptions({ address, service, serviceKey, deadlineMs, maxInFlight })
  const connection = createConnection({ address, serviceKey, tls, grpcOptions })
  const limiter = createLimiter(maxInFlight)
  const batcher = createCheckBatcher(connection, limiter, { service, deadlineMs })
  const caller = createCaller(connection, limiter, { service, deadlineMs })
  const { send } = caller
  const verifyToken = createTokenVerifier(async () => {
    const [configuration, keySet] = await Promise.all([
      send(AuthServiceService.getConfiguration, {}, { retry: true }),
      send(AuthServiceService.getKeySet, {}, { retry: true }),
    ])
    return { issuer: configuration.issuer, keys: keySet.keys }
  }, issuer)

  /** API keys are verified by the server, because they can end at any time. */
  async function verifyApiKey(token: string): Promise<AccessTokenClaims> {
    const found = await send(OAuthServiceService.introspectToken, { token }, { retry: true })
    const { active, token_type, sub, wid, wslug, wrole } = found
    if (!active || token_type !== 'api_key' || !sub || !wid || !wslug || !wrole)
      throw tokenInvalid('the API key is unknown, or has ended')
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
      const found = await send(AccessServiceService.searchResources, request, {
        ...options,
        retry: true,
      })
      if (!token && found.results.length === 0) {
        const error = deniedTokenError(subject)
        if (error) throw error
      }
      for (const { id } of found.results) yield id
      token = found.page?.next_token ?? ''
    } while (token)
  }

  return {
    check(subject, action, resource, { context, ...options } = {}) {
      return new Promise((resolve, reject) => {
        batcher.add({ subject, action, resource, context }, options, (error, isAllowed) =>
          error ? reject(error) : resolve(isAllowed),
        )
      })
    },

    checkMany(checks, { context, ...options } = {}) {
      return new Promise((resolve, reject) => {
        const results: boolean[] = new Array(checks.length).fill(false)
        let missing = checks.length
        if (missing === 0) return resolve(results)
        for (const { subject, action, resource, context } of checks)
          validate(subject, action, resource, context)
        for (const [index, check] of checks.entries())
          batcher.add({ context, ...check }, options, (error, isAllowed) => {
            if (error) return reject(error)
            results[index] = isAllowed
            missing -= 1
            if (missing === 0) resolve(results)
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
          const { searchSubjects } = AccessServiceService
          let token = ''
          do {
            const page = token ? { page: { token } } : {}
            const found = await send(
              searchSubjects,
              { ...request, ...page },
              { ...options, retry: true },
            )
            for (const { id } of found.results) yield id
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
      const { decision, context } = await send(AccessServiceService.evaluate, request, {
        ...options,
        retry: true,
      })
      const error = decision ? undefined : deniedTokenError(name)
      if (error) throw error
      return { allowed: decision, reasons: readReasons(context) }
    },

    ...createResourceOperations(caller),
    ...createLinkOperations(caller),
    ...createTypeOperations(caller),

    verifyAccessToken: (token) => (isApiKey(token) ? verifyApiKey(token) : verifyToken(token)),

    resourceId({ type, id }) {
      requireResource({ type, id })
      return resourceId(service, type, id)
    },

    call(method, request, { as: token, retry = false, ...options } = {}) {
      return send(method, request, { ...options, token, retry })
    },

    watch: (options) => watchActivity(connection, options),

    close() {
      batcher.close()
      connection.close()
    },
  }
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
  address,
  service,
  serviceKey,
  deadlineMs,
  maxInFlight,
}: Required<
  Pick<DaikonOptions, 'address' | 'service' | 'serviceKey' | 'deadlineMs' | 'maxInFlight'>
>): void {
  const require = (isValid: boolean, field: string, message: string) => {
    if (!isValid) throw invalidArgument({ field, message })
  }
  require(typeof address === 'string' && address !== '', 'address', 'must be host:port')
  require(!/^https?:\/\//.test(
    address,
  ), 'address', 'must be host:port of the gRPC server, not a URL')
  require(/:\d+$|^unix:/.test(address), 'address', 'must have a port, such as localhost:50051')
  require(typeof service === 'string' &&
    service !== '', 'service', 'is required: the service_name of your service key')
  require(serviceKey === undefined ||
    /^[\x21-\x7e]+$/.test(
      serviceKey,
    ), 'serviceKey', 'must be a key of daikon (dk_…), without spaces or line breaks')
  require(Number(deadlineMs) > 0, 'deadlineMs', 'must be a positive number of milliseconds')
  require(Number.isInteger(maxInFlight) &&
    Number(maxInFlight) > 0, 'maxInFlight', 'must be a positive integer')
}
