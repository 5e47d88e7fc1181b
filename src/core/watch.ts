/** The response of a method that streams messages until its caller or the server ends it. */
export type Watch<Message> = {
  /**
   * Returns the messages. They end when the signal is aborted, possibly with a last one. Must be read to the
   * end, even if the caller has disconnected.
   *
   * @param onOverflow called if the messages are read too slowly
   * @param verify verifies the credentials of the caller again, and aborts the signal if they are no
   * longer valid. Called after events were read and before the first of them is returned
   */
  messages(
    signal: AbortSignal,
    onOverflow: (error: Error) => void,
    verify: () => Promise<void>,
  ): AsyncIterable<Message>
}

/** Resolves when the stream can take more messages, or the signal is aborted. */
export function drainedOrAborted(stream: NodeJS.EventEmitter, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    stream.on('drain', done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
