import type { WatchAccessRequest, WatchAccessResponse } from '../../../gen/daikon/v1/access_keys.ts'
import { ServiceError } from '../../core/errors.ts'
import { reasons } from '../../core/reasons.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { Watch } from '../../core/watch.ts'
import { createWatchLimit } from '../../core/watch-limit.ts'
import { createKeyNames } from '../key-names.ts'
import type { AccessKeySecretStore } from '../store/access-key-secret-store.ts'
import { digestOf, parseAccessCursor } from './cursor.ts'
import { type AccessFollowing, type AccessTimes, followAccess } from './follow-access.ts'

/** The maximum number of watches of one service, and of a node. */
const maxWatches = { each: 20, node: 200 }

const accessTimes: AccessTimes = { poll: 200, progress: 1000, bookmark: 10_000, stall: 10_000 }

type Stores = { accessKeySecrets: AccessKeySecretStore }

type Dependencies = Pick<AccessFollowing, 'changes' | 'states' | 'onFailure'> & {
  times?: Partial<AccessTimes>
}

/** Opens a stream. */
export type WatchAccessHandler = (
  context: Pick<RequestContext<Stores>, 'stores'>,
  request: WatchAccessRequest,
) => Promise<Watch<WatchAccessResponse>>

/** Creates the handler that opens a stream of what the resources of a service accept. */
export function createWatchAccess({
  times: changedTimes,
  ...dependencies
}: Dependencies): WatchAccessHandler {
  const enter = createWatchLimit(maxWatches, 'a service')
  const times = { ...accessTimes, ...changedTimes }

  return async ({ stores }, request) => {
    const { service_name: serviceName, resource_types: types } = request
    const secret = await stores.accessKeySecrets.findOrCreate(serviceName)
    const digest = digestOf(secret, serviceName, types)
    const cursor = parseAccessCursor(request.last_event_id || request.cursor || '', digest)
    const asked = new Set(types)
    const following = {
      ...dependencies,
      serviceName,
      isAsked: (type: string) => asked.size === 0 || asked.has(type),
      names: createKeyNames(secret),
      digest,
      times,
    }
    const leave = enter(serviceName)
    return {
      async *messages(signal, onOverflow, verify) {
        try {
          const messages = followAccess({ ...following, verify }, cursor, signal)
          yield* endStalled(messages, times.stall, onOverflow)
        } finally {
          leave()
        }
      },
    }
  }
}

/** Calls `onOverflow` if the reader does not take a message for `timeout` milliseconds. */
async function* endStalled(
  messages: AsyncIterable<WatchAccessResponse>,
  timeout: number,
  onOverflow: (error: Error) => void,
): AsyncGenerator<WatchAccessResponse> {
  let cursor: string | undefined
  for await (const message of messages) {
    const timer = setTimeout(() => onOverflow(readerTooSlow(cursor)), timeout)
    try {
      yield message
    } finally {
      clearTimeout(timer)
    }
    cursor = message.bookmark?.cursor ?? cursor
  }
}

/** The reader continues after the last bookmark that it received. */
function readerTooSlow(cursor: string | undefined): ServiceError {
  const extensions = cursor === undefined ? {} : { cursor }
  return new ServiceError(reasons.READER_TOO_SLOW, undefined, { extensions })
}
