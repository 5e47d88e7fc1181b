import type { Connection } from './connection.ts'
import { closedError, DaikonError, UnavailableError } from './errors.ts'
import type { WatchActivityResponse } from './gen/daikon/v1/activity.ts'
import { activityService } from './gen/methods.ts'
import { sleep } from './signals.ts'

/** An entry of the activity log. Its actions and their details are listed in docs/activity-log.md. */
export type ActivityEvent = {
  id: string
  /** What happened, such as `permission.shared`. */
  action: string
  /** The type of the target, such as `permission`. */
  targetType: string
  targetId: string | undefined
  /** The ID of the user, service account or management app that performed the action, if any. */
  actorId: string | undefined
  actorType: string | undefined
  workspaceId: string | undefined
  /** Details that depend on the action, with the names of the API. */
  detail: Record<string, unknown>
  createdAt: Date
  /** The service app that authenticated the request, and the first characters of its key. */
  serviceAppId: string | undefined
  keyPrefix: string | undefined
  /** The first characters of the API key of a service account. */
  apiKeyPrefix: string | undefined
  /** The service account or client app that acted for the actor by a delegation, if one did. */
  agentType: string | undefined
  agentId: string | undefined
  delegationId: string | undefined
  requestId: string | undefined
}

/** An event, or a bookmark, which only says that all events up to its cursor were received. */
export type WatchMessage = {
  /** Continues a watch after this message. */
  cursor: string
  /** Undefined for a bookmark. */
  event: ActivityEvent | undefined
}

export type WatchOptions = {
  /**
   * Begins after this cursor. `earliest` begins with the oldest event that is retained. By default, only new
   * events.
   */
  cursor?: string | undefined
  /** Returns only events in this workspace. */
  workspaceId?: string | undefined
  /** Returns only these actions. `member.*` selects all that begin with `member.`. */
  actions?: readonly string[] | undefined
  /** Ends the iteration when aborted. */
  signal?: AbortSignal | undefined
  /** Called when the connection has ended, before the next attempt. Use it for a log. */
  onDisconnect?: ((error: DaikonError) => void) | undefined
}

/** The maximum delays before the first attempt to reconnect and before later ones, in milliseconds. */
const delays = { first: 100, later: 5000 }

/** Errors that the next attempt would return, too. */
const finalCodes: DaikonError['code'][] = [
  'invalid_argument',
  'out_of_range',
  'unauthenticated',
  'permission_denied',
  'not_found',
  'failed_precondition',
  'unimplemented',
]

/** Whether the next attempt to open a stream would fail with the same error. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof DaikonError &&
    (finalCodes.includes(error.code) || error.reason === 'TLS_FAILED')
  )
}

export async function* watchActivity(
  connection: Connection,
  { cursor: start, workspaceId, actions = [], signal, onDisconnect }: WatchOptions = {},
): AsyncGenerator<WatchMessage, void, undefined> {
  if (connection.closed.aborted) throw closedError()
  const stopped = AbortSignal.any([connection.closed, ...(signal ? [signal] : [])])
  let cursor = start
  let failures = 0
  while (!stopped.aborted) {
    const request = {
      actions: [...actions],
      ...(cursor !== undefined && { cursor }),
      ...(workspaceId !== undefined && { workspace_id: workspaceId }),
    }
    let error: DaikonError = new UnavailableError('STREAM_ENDED', 'The server has ended the stream')
    try {
      for await (const message of connection.stream(activityService.watch, request, stopped)) {
        cursor = message.cursor
        failures = 0
        yield toMessage(message)
      }
    } catch (thrown) {
      error = thrown as DaikonError
    }
    if (stopped.aborted) return
    if (isFinal(error)) throw error
    onDisconnect?.(error)
    const delay = Math.min(delays.first * 2 ** failures, delays.later) * (0.5 + Math.random() / 2)
    failures += 1
    await sleep(Math.max(delay, error.retryAfterMs ?? 0), stopped).catch(() => {})
  }
}

function toMessage({ cursor, event: entry }: WatchActivityResponse): WatchMessage {
  if (!entry) return { cursor, event: undefined }
  const event = {
    id: entry.id,
    action: entry.action,
    targetType: entry.target_type,
    targetId: entry.target_id,
    actorId: entry.actor_id,
    actorType: entry.actor_type,
    workspaceId: entry.workspace_id,
    detail: entry.detail ?? {},
    createdAt: new Date(entry.created_at ?? 0),
    serviceAppId: entry.service_app_id,
    keyPrefix: entry.key_prefix,
    apiKeyPrefix: entry.api_key_prefix,
    agentType: entry.agent_type,
    agentId: entry.agent_id,
    delegationId: entry.delegation_id,
    requestId: entry.request_id,
  }
  return { cursor, event }
}
