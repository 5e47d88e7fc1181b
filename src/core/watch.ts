/** The response of a method that streams messages until its caller or the server ends it. */
export type Watch<Message> = {
  /**
   * Returns the messages. They end when the signal is aborted, possibly with a last one. Must be read to the
   * end, even if the caller has disconnected.
   *
   * @param onOverflow called if the messages are read too slowly
   */
  messages(signal: AbortSignal, onOverflow: (error: Error) => void): AsyncIterable<Message>
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
