/** Sends requests to another process of the same server. */
export type WorkerChannel = {
  /**
   * Returns the response. Rejects if the handler in the other process fails, that process exits, or
   * there is no response within `milliseconds`.
   */
  request(kind: string, body?: unknown, milliseconds?: number): Promise<unknown>
  /** Rejects every pending request. Called when the other process has exited. */
  close(): void
}

/** The channel to the other process, as node:cluster provides it. */
export type ProcessChannel = {
  send(message: Message): unknown
  on(event: 'message', listener: (message: Message) => void): unknown
}

type Message = { id: number; kind?: string; body?: unknown; failure?: string }

/** Opens a channel. `handlers` respond to the requests of the other process, by kind. */
export function createWorkerChannel(
  channel: ProcessChannel,
  handlers: Record<string, (body: never) => Promise<unknown>>,
): WorkerChannel {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0

  channel.on('message', async (message) => {
    const { id, kind, body, failure } = message
    if (kind === undefined) {
      const request = pending.get(id)
      pending.delete(id)
      if (failure === undefined) request?.resolve(body)
      else request?.reject(new Error(failure))
      return
    }
    try {
      const handler = handlers[kind]
      if (!handler) throw new Error(`no handler for ${kind}`)
      channel.send({ id, body: await handler(body as never) })
    } catch (error) {
      channel.send({ id, failure: (error as Error).message })
    }
  })

  return {
    request(kind, body, milliseconds) {
      const request = Promise.withResolvers<unknown>()
      lastId += 1
      const id = lastId
      pending.set(id, request)
      channel.send({ id, kind, body })
      if (milliseconds === undefined) return request.promise
      const timeout = setTimeout(() => {
        pending.delete(id)
        request.reject(new Error(`no response within ${milliseconds} ms`))
      }, milliseconds)
      return request.promise.finally(() => clearTimeout(timeout))
    },
    close() {
      for (const { reject } of pending.values()) reject(new Error('the other process has exited'))
      pending.clear()
    },
  }
}
