import type { Prepared } from './prepared.ts'

/** What a connection tells of each answer. */
export type OnAnswer = (milliseconds: number, correct: boolean) => void

/** A connection that keeps requests under way until told to stop. */
export type Connection = {
  /** In an open loop: sends that many more, whatever is under way. */
  push(count: number): void
  stop(): void
}

/** Opens one; `inFlight` 0 leaves all sending to `push`. Undefined from `next`: there is no more. */
export type Open = (options: {
  port: number
  inFlight: number
  next: () => Prepared | undefined
  onAnswer: OnAnswer
}) => Promise<Connection>
