// Copied from clients/typescript/src/access/copy/message-queue.ts. DO NOT EDIT.

import type { AccessMessage } from './messages.ts'

/** Messages that were received and not yet taken. */
export type MessageQueue = {
  /**
   * Returns the next message, or undefined if none arrives within a number of milliseconds.
   *
   * @throws the error of the stream once all of its messages were taken
   */
  next(ms: number): Promise<AccessMessage | undefined>
  /** Stops reading. */
  close(): void
}

/** The stream has ended without an error. */
export class StreamEndedError extends Error {
  constructor() {
    super('The server has ended the stream')
  }
}

/** Reads a stream ahead, by at most `limit` messages. */
export function createMessageQueue(
  stream: AsyncIterable<AccessMessage>,
  limit: number,
): MessageQueue {
  const messages: AccessMessage[] = []
  let first = 0
  let failure: unknown
  let isClosed = false
  let onChange = () => {}
  let onTaken = () => {}
  const iterator = stream[Symbol.asyncIterator]()

  async function read(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await iterator.next()
        if (isClosed) return
        if (done) throw new StreamEndedError()
        messages.push(value)
        onChange()
        while (messages.length - first >= limit && !isClosed)
          await new Promise<void>((resolve) => {
            onTaken = resolve
          })
        if (isClosed) return
      }
    } catch (error) {
      failure = error
      onChange()
    }
  }
  void read()

  function take(): AccessMessage | undefined {
    const message = messages[first]
    if (message === undefined) return undefined
    first += 1
    // Shifting each message would move all others.
    if (first === messages.length || first >= limit) {
      messages.splice(0, first)
      first = 0
    }
    onTaken()
    return message
  }

  return {
    async next(ms) {
      const ready = take()
      if (ready) return ready
      if (failure !== undefined) throw failure
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        onChange = resolve
        timer = setTimeout(resolve, ms)
      })
      clearTimeout(timer)
      const message = take()
      if (message === undefined && failure !== undefined) throw failure
      return message
    },
    close() {
      isClosed = true
      onTaken()
      // Rejects if the stream has failed.
      void iterator.return?.().catch(() => {})
    },
  }
}
