import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchChangesResponse } from '../../gen/daikon/v1/users.ts'
import { ServiceError } from '../core/errors.ts'
import { reasons } from '../core/reasons.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import type { Watch } from '../core/watch.ts'
import { createWatchLimit } from '../core/watch-limit.ts'
import { ChangeReader } from './change-reader.ts'
import type { LiveFeed } from './live-feed.ts'
import type { WatchingUser } from './visibility.ts'

/** The maximum number of watches of one user, and of a node. */
const maxWatches = { each: 20, node: 2000 }

/** Milliseconds without a message after which a user gets a heartbeat. */
const heartbeatInterval = 15_000

/**
 * Milliseconds between two messages about changes, so that a series of changes does not make every
 * page ask again for each of them.
 */
const changeInterval = 2000

/** The longest timeout of Node.js, in milliseconds. */
const maxTimeout = 2 ** 31 - 1

type WatchChangesHandler = (
  context: Pick<RequestContext, 'principal' | 'now'>,
) => Promise<Watch<WatchChangesResponse>>

/**
 * Creates the handler that tells users when their permissions in the workspace of their token may
 * have changed. The watch ends when the token expires.
 */
export function createWatchChanges(feed: LiveFeed): WatchChangesHandler {
  const enter = createWatchLimit(maxWatches, 'a user')

  return async ({ principal, now }) => {
    const { id, workspaceId, token } = requireUser(principal)
    const viewer: WatchingUser = { kind: 'user', id, workspaceId }
    const leave = enter(id)
    return {
      async *messages(signal, _onOverflow, verify) {
        const expiresIn = Math.min(token.expiresAt.getTime() - now.getTime(), maxTimeout)
        const expiry = AbortSignal.timeout(Math.max(expiresIn, 0))
        try {
          yield* followChanges(feed, viewer, AbortSignal.any([signal, expiry]), verify)
        } finally {
          leave()
        }
        if (expiry.aborted) throw new ServiceError(reasons.TOKEN_EXPIRED)
      },
    }
  }
}

async function* followChanges(
  feed: LiveFeed,
  viewer: WatchingUser,
  signal: AbortSignal,
  verify: () => Promise<void>,
): AsyncGenerator<WatchChangesResponse> {
  let first = 'ready'
  while (!signal.aborted) {
    const reader = new ChangeReader(viewer, await feed.findEnd())
    if (!feed.join(reader)) continue
    try {
      // If the previous reader fell behind, what the user reads from now on contains what it missed,
      // and this one gets what follows.
      yield { type: first }
      first = 'changed'
      while (!signal.aborted && !reader.isBehind) {
        const hasChanged = await reader.take(heartbeatInterval, signal)
        if (hasChanged && !signal.aborted) await verify()
        if (signal.aborted || reader.isBehind) break
        yield { type: hasChanged ? 'changed' : 'heartbeat' }
        if (hasChanged) await sleep(changeInterval, undefined, { signal }).catch(() => {})
      }
    } finally {
      feed.leave(reader)
    }
  }
}
