import type { WatchActivityRequest, WatchActivityResponse } from '../../gen/daikon/v1/activity.ts'
import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import { type Cursor, formatCursor, parseCursor } from '../activity/feed/cursor.ts'
import { readActionFilter } from '../activity/feed/event-filter.ts'
import { isAdministrative, type Principal, type RequestContext } from '../core/request-context.ts'
import { shareResults } from '../core/share-results.ts'
import type { Watch } from '../core/watch.ts'
import { createWatchLimit } from '../core/watch-limit.ts'
import { follow } from './follow.ts'
import type { LiveFeed } from './live-feed.ts'
import { createSelection, type FeedMessage } from './live-queue.ts'
import type { Viewer } from './visibility.ts'

/** The maximum number of watches of one service or administrator, and of a node. */
const maxWatches = { each: 1000, node: 2000 }

type WatchHandler = (
  context: Pick<RequestContext, 'principal'>,
  request: WatchActivityRequest,
) => Promise<Watch<WatchActivityResponse>>

/** Creates the handler that opens a watch of the activity log. */
export function createWatchActivity(feed: LiveFeed): WatchHandler {
  const enter = createWatchLimit(maxWatches, 'a service')
  const toResponse = createResponses()

  return async ({ principal }, request) => {
    const { workspace_id, actions } = request
    const selects = readActionFilter(feed.events, 'actions', actions)
    const viewer = viewerOf(principal)
    const cursor = await findCursor(feed, request.last_event_id || request.cursor)
    const select = createSelection(viewer, selects, workspace_id)
    const leave = enter(nameOf(principal))
    return {
      async *messages(signal, onOverflow, verify) {
        try {
          const following = { viewer, cursor, select, verify }
          const messages = follow(feed, following, signal, onOverflow)
          for await (const message of messages) yield toResponse(message)
        } finally {
          leave()
        }
      },
    }
  }
}

async function findCursor(feed: LiveFeed, text: string | undefined): Promise<Cursor> {
  if (text === undefined) return feed.findEnd()
  if (text === 'earliest') return feed.findStart()
  const cursor = parseCursor(text)
  await feed.read(cursor)
  return cursor
}

/** Watches that see the same entry share its message, so that it is encoded once. */
function createResponses(): (message: FeedMessage) => WatchActivityResponse {
  const toEvent = shareResults(
    (event: ActivityEntry, cursor: Cursor): WatchActivityResponse => ({
      cursor: formatCursor(cursor),
      event,
      bookmark: false,
    }),
  )
  return ({ cursor, entry }) =>
    entry ? toEvent(entry, cursor) : { cursor: formatCursor(cursor), bookmark: true }
}

function viewerOf(principal: Principal): Viewer {
  const { service } = principal
  if (isAdministrative(principal)) return { kind: 'administrator' }
  if (service?.name !== undefined) return { kind: 'service', name: service.name }
  return { kind: 'development' }
}

function nameOf({ admin, managementApp, service }: Principal): string {
  const administrative = admin ?? managementApp
  return administrative ? `admin ${administrative.id}` : `service ${service?.name ?? ''}`
}
