import type { CallOptions, Resource } from './argument-types.ts'
import { requireHeaderText, requireResource } from './arguments.ts'
import { type Attempt, type Connection, type Method, sendWithRetries } from './connection.ts'
import type { Limiter } from './limiter.ts'
import { resourceId } from './resource-id.ts'

export type SendOptions = CallOptions & Omit<Attempt, 'deadline'>

/** Remembers the last of the positions that a server has named. */
export type Positions = { last: string | undefined }

/** Sends the calls of one client. */
export type Caller = {
  service: string
  positions: Positions
  /**
   * Sends a call once the limiter has a free slot. Returns undefined only if `onRepeated` returned
   * true.
   */
  trySend<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: SendOptions,
  ): Promise<Response | undefined>
  /** Like `trySend`, for calls without `onRepeated`. */
  send<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: Omit<SendOptions, 'onRepeated'>,
  ): Promise<Response>
  /**
   * Returns the natural key of a resource in the API.
   *
   * @throws InvalidArgumentError
   */
  keyOf(resource: Resource): { service_name: string; resource_type: string; resource_id: string }
}

export function createCaller(
  connection: Connection,
  limiter: Limiter,
  { service, deadlineMs: defaultMs }: { service: string; deadlineMs: number },
): Caller {
  const positions: Positions = { last: undefined }
  const trySend: Caller['trySend'] = async (
    method,
    request,
    { deadlineMs: milliseconds = defaultMs, ...attempt },
  ) => {
    requireHeaderText(attempt.token)
    const timedAttempt = { ...attempt, deadline: Date.now() + milliseconds }
    const response = await limiter.run(
      () => sendWithRetries(connection, method, request, timedAttempt),
      timedAttempt,
    )
    const { position } = (response ?? {}) as { position?: string }
    if (position) positions.last = laterPosition(positions.last, position)
    return response
  }
  return {
    service,
    positions,
    trySend,
    send: async <Request, Response>(
      method: Method<Request, Response>,
      request: Request,
      options: SendOptions,
    ) => (await trySend(method, request, options)) as Response,
    keyOf(resource) {
      requireResource(resource)
      const { type, id } = resource
      const resource_id = resourceId(service, type, id)
      return { service_name: service, resource_type: type, resource_id }
    },
  }
}

/** Returns the later of two positions, and of different histories the one that was named last. */
function laterPosition(known: string | undefined, named: string): string {
  const [history, number = '0'] = (known ?? '').split('-')
  const [other, next = '0'] = named.split('-')
  return known !== undefined && history === other && BigInt(number) > BigInt(next) ? known : named
}
