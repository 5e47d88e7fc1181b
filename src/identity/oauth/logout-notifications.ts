import { randomUUID } from 'node:crypto'
import type { OutboundClient } from '../../outbound/outbound-client.ts'
import type { OutboundHosts } from '../../outbound/outbound-hosts.ts'
import {
  type LogoutBatch,
  type LogoutNotification,
  type LogoutQueueStore,
  maxBatchSize,
} from '../store/logout-queue-store.ts'
import type { Tokens } from '../tokens.ts'

/** Sends logout tokens to client apps. */
export type LogoutSender = {
  /**
   * Starts the batches that are due and does not wait for them. Called every second. Rejects if the
   * database is unavailable.
   */
  sendDue(): Promise<void>
  /** Waits for the batches in flight. */
  settle(): Promise<void>
  /** Starts no further batches and waits for those in flight. */
  stop(): Promise<void>
}

export type LogoutSenderDependencies = {
  /** Opens the queue for one step, such as claiming batches. */
  openQueue: () => LogoutQueueStore
  tokens: Tokens
  hosts: OutboundHosts
  send: OutboundClient
  now: () => Date
  /** Called when a batch could not be recorded. */
  onFailure: (error: unknown) => void
  /** Logs a warning for the operator. */
  warn: (text: string) => void
}

/** The maximum number of client apps to which this process sends at the same time. */
const maxBatches = 32

/** The time that a client app has to respond, in milliseconds. */
const timeout = 5000

/** The lifetime of a logout token, in seconds. */
const logoutTokenSeconds = 120

/** The event that makes a token a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4). */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Creates the sender of logout tokens. Each client app has at most one batch in flight, and apps do
 * not wait for each other. Failed deliveries are retried with exponential backoff for up to an
 * hour.
 */
export function createLogoutSender(dependencies: LogoutSenderDependencies): LogoutSender {
  const { openQueue, tokens, hosts, send, now, onFailure, warn } = dependencies
  const running = new Set<Promise<void>>()
  let inFlight = 0
  /** The apps whose URI the operator has been warned about. */
  const warned = new Set<string>()
  let isStopped = false

  async function sendDue(): Promise<void> {
    const free = maxBatches - inFlight
    if (isStopped || free <= 0) return
    for (const batch of await openQueue().claim(now(), free)) start(batch)
  }

  function start(batch: LogoutBatch): void {
    // After a full batch, the app probably has further notifications.
    const isFull = batch.notifications.length === maxBatchSize
    inFlight += 1
    const task = sendBatch(batch)
      .finally(() => {
        inFlight -= 1
      })
      .then(() => (isFull ? sendDue() : undefined))
      .catch(onFailure)
      .finally(() => running.delete(task))
    running.add(task)
  }

  async function sendBatch({ clientId, uri, notifications }: LogoutBatch): Promise<void> {
    const problem = hosts.findProblem(new URL(uri))
    if (problem) {
      if (!warned.has(clientId)) {
        warn(`Client app ${clientId} receives no logout tokens: backchannel_logout_uri ${problem}`)
      }
      warned.add(clientId)
      return openQueue().discard(clientId)
    }
    const results = await Promise.all(
      notifications.map(async (notification) => ({
        id: notification.id,
        status: await sendLogoutToken(clientId, uri, notification),
      })),
    )
    const received = results.flatMap(({ id, status = 0 }) =>
      status >= 200 && status < 300 ? [id] : [],
    )
    const responded = results.every(({ status }) => status !== undefined)
    await openQueue().finish(clientId, { received, responded }, now())
  }

  /** Returns the status of the response, or undefined if there was none. */
  async function sendLogoutToken(
    clientId: string,
    uri: string,
    { userId, sessionId }: LogoutNotification,
  ): Promise<number | undefined> {
    const claims = { sub: userId, sid: sessionId, jti: randomUUID(), events: { [logoutEvent]: {} } }
    const logout_token = await tokens.signForClient('logout', claims, clientId, logoutTokenSeconds)
    try {
      const { status } = await send(uri, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `${new URLSearchParams({ logout_token })}`,
        signal: AbortSignal.timeout(timeout),
      })
      return status
    } catch {
      return undefined
    }
  }

  async function settle(): Promise<void> {
    while (running.size > 0) await Promise.all(running)
  }

  return {
    sendDue,
    settle,
    async stop() {
      isStopped = true
      await settle()
    },
  }
}
