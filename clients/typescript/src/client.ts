import type { ChannelOptions } from '@grpc/grpc-js'
import { createTokenVerifier } from './access-token.ts'
import type { AccessTokenClaims, CallOptions, DaikonClient, Resource, Subject } from './api.ts'
import {
  isApiKey,
  nameGrant,
  nameGrantee,
  nameSubject,
  requireAction,
  requireResource,
  type SubjectName,
} from './arguments.ts'
import { createCheckBatcher } from './check-batcher.ts'
import { type Attempt, createConnection, createLimiter, type TlsOptions } from './connection.ts'
import { type DaikonError, invalidArgument } from './errors.ts'
import { AccessServiceService } from './gen/daikon/v1/access.ts'
import { AuthServiceService } from './gen/daikon/v1/auth.ts'
import { OAuthServiceService } from './gen/daikon/v1/oauth.ts'
import { PermissionServiceService } from './gen/daikon/v1/permissions.ts'
import { readReasons, readResource, readShare } from './records.ts'
import { isUuid, resourceId } from './resource-id.ts'
import { deniedTokenError, tokenInvalid } from './token-format.ts'
import type { UnaryMethod } from './unary-method.ts'
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

  type SendOptions = CallOptions & Omit<Attempt, 'deadline'>

  /**
   * Sends a call once the limiter has a free slot. Returns undefined only if `onRepeated` returned
   * true.
   */
  function trySend<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    { deadlineMs: milliseconds = deadlineMs, ...attempt }: SendOptions,
  ): Promise<Response | undefined> {
    const timedAttempt = { ...attempt, deadline: Date.now() + milliseconds }
    return limiter.run(() => connection.send(method, request, timedAttempt), timedAttempt)
  }

  async function send<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    options: SendOptions,
  ): Promise<Response> {
    return (await trySend(method, request, options)) as Response
  }

  function keyOf(resource: Resource) {
    requireResource(resource)
    const { type, id } = resource
    const resource_id = resourceId(service, type, id)
    return { service_name: service, resource_type: type, resource_id }
  }

  async function* accessibleIds(
    subject: SubjectName,
    action: string,
    type: string,
    { workspaceId, ...options }: CallOptions & { workspaceId?: string | undefined },
  ) {
    let token = ''
    do {
      const request = {
        subject,
        action: { name: action },
        resource: { type: `${service}:${type}` },
        ...(workspaceId !== undefined && { context: { workspace_id: workspaceId } }),
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
    check(subject, action, resource, options = {}) {
      return new Promise((resolve, reject) => {
        batcher.add(subject, action, resource, options, (error, isAllowed) =>
          error ? reject(error) : resolve(isAllowed),
        )
      })
    },

    checkMany(checks, options = {}) {
      return new Promise((resolve, reject) => {
        const results: boolean[] = new Array(checks.length).fill(false)
        let missing = checks.length
        if (missing === 0) return resolve(results)
        for (const { subject, action, resource } of checks) validate(subject, action, resource)
        for (const [index, { subject, action, resource }] of checks.entries())
          batcher.add(subject, action, resource, options, (error, isAllowed) => {
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
          requireResource({ type, id: 'any' })
          yield* accessibleIds(name, action, type, options)
        },
      }
    },

    async explain(subject, action, resource, options = {}) {
      const name = validate(subject, action, resource)
      const type = `${service}:${resource.type}`
      const request = {
        subject: name,
        action: { name: action },
        resource: { type, id: resource.id },
        context: { explain: true },
      }
      const { decision, context } = await send(AccessServiceService.evaluate, request, {
        ...options,
        retry: true,
      })
      const error = decision ? undefined : deniedTokenError(name)
      if (error) throw error
      return { allowed: decision, reasons: readReasons(context) }
    },

    async register({ workspaceId, ownerId, visibility, parent, ...resource }, options = {}) {
      const key = keyOf(resource)
      const { resource_type, resource_id } = parent ? keyOf(parent) : key
      const request = {
        ...key,
        workspace_id: workspaceId,
        owner_id: ownerId,
        ...(!isUuid(resource.id) && { external_id: resource.id }),
        ...(visibility && { visibility }),
        ...(parent && { parent: { resource_type, resource_id } }),
      }
      return readResource(
        await send(PermissionServiceService.register, request, { ...options, retry: true }),
      )
    },

    async unregister(resource, { as: token, ...options } = {}) {
      await trySend(PermissionServiceService.unregister, keyOf(resource), {
        ...options,
        token,
        retry: true,
        onRepeated: ({ reason }: DaikonError) => reason === 'RESOURCE_NOT_FOUND',
      })
    },

    async share(resource, grantee, grant, { as: token, expiresAt, ...options } = {}) {
      const request = {
        ...keyOf(resource),
        ...nameGrantee(grantee),
        permission: '',
        ...nameGrant(grant),
        ...(expiresAt && { expires_at: readTime('expiresAt', expiresAt) }),
      }
      return readShare(
        await send(PermissionServiceService.share, request, { ...options, token, retry: true }),
      )
    },

    async revoke(resource, grantee, { as: token, ...options } = {}) {
      // Older servers require a permission; none compares it with the share.
      const request = { ...keyOf(resource), ...nameGrantee(grantee), permission: 'view' }
      await trySend(PermissionServiceService.revokeShare, request, {
        ...options,
        token,
        retry: true,
        onRepeated: ({ reason }: DaikonError) => reason === 'SHARE_NOT_FOUND',
      })
    },

    async setVisibility(resource, visibility, { as: token, ...options } = {}) {
      const request = { ...keyOf(resource), visibility }
      return readResource(
        await send(PermissionServiceService.updateVisibility, request, {
          ...options,
          token,
          retry: true,
        }),
      )
    },

    async transfer(resource, userId, { as: token, ...options } = {}) {
      const request = { ...keyOf(resource), owner_id: userId }
      return readResource(
        await send(PermissionServiceService.transferOwnership, request, {
          ...options,
          token,
          // After the first attempt, the user of the token may no longer own the resource.
          retry: token === undefined,
        }),
      )
    },

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

function readTime(field: string, time: Date): string {
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time.toISOString()
  throw invalidArgument({ field, message: 'must be a valid Date' })
}

function validate(subject: Subject, action: string, resource: Resource): SubjectName {
  const name = nameSubject(subject)
  requireAction(action)
  requireResource(resource)
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
