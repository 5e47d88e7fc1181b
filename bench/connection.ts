import type { PreparedRequest } from './prepared-requests.ts'

/** Called for each response with its latency and whether it was the expected one. */
export type OnResponse = (milliseconds: number, correct: boolean) => void

/** A connection that keeps requests in flight until it is stopped. */
export type Connection = {
  /** In an open loop: sends `count` more requests, regardless of those in flight. */
  push(count: number): void
  stop(): void
}

/** Opens a connection. With `inFlight` 0 only `push` sends; `next` returns undefined at the end. */
export type OpenConnection = (options: {
  port: number
  inFlight: number
  next: () => PreparedRequest | undefined
  onAnswer: OnResponse
}) => Promise<Connection>
