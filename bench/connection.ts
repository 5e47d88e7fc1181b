import type { PreparedRequest } from './prepared-requests.ts'

/** Called for each response with its latency and whether it was as expected. */
export type OnResponse = (milliseconds: number, correct: boolean) => void

/** A connection that keeps a number of requests in flight until it is stopped. */
export type Connection = {
  /** Sends `count` more requests in an open loop, regardless of the number in flight. */
  push(count: number): void
  stop(): void
}

/**
 * Opens a connection. If `inFlight` is 0, requests are sent only by `push`. `next` returns
 * undefined when there are no more requests.
 */
export type OpenConnection = (options: {
  port: number
  /** The expected status of HTTP/1.1 responses, by default 200. Bodies of others are not compared. */
  status?: number | undefined
  inFlight: number
  next: () => PreparedRequest | undefined
  onResponse: OnResponse
  /** Called if the server ends the connection, which is an error by default. */
  onLost?: () => void
}) => Promise<Connection>
