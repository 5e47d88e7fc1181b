/** Questions and answers between two processes of one server. */
export type Exchange = {
  /** Rejects when the other side fails to answer or goes. */
  ask(kind: string, body?: unknown): Promise<unknown>
  /** The other side has gone: what it was asked has no answer. */
  close(): void
}

/** The channel to the other process, as node:cluster gives it. */
export type Channel = {
  send(message: Message): unknown
  on(event: 'message', listener: (message: Message) => void): unknown
}

type Message = { id: number; kind?: string; body?: unknown; failure?: string }

/** Opens an exchange over a channel; `answers` says what is answered here. */
export function createExchange(
  channel: Channel,
  answers: Record<string, (body: never) => Promise<unknown>>,
): Exchange {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0

  channel.on('message', async (message) => {
    const { id, kind, body, failure } = message
    if (kind === undefined) {
      const asked = pending.get(id)
      pending.delete(id)
      if (failure === undefined) asked?.resolve(body)
      else asked?.reject(new Error(failure))
      return
    }
    try {
      const answer = answers[kind]
      if (!answer) throw new Error(`nobody answers ${kind}`)
      channel.send({ id, body: await answer(body as never) })
    } catch (error) {
      channel.send({ id, failure: (error as Error).message })
    }
  })

  return {
    ask(kind, body) {
      const asked = Promise.withResolvers<unknown>()
      last += 1
      pending.set(last, asked)
      channel.send({ id: last, kind, body })
      return asked.promise
    },
    close() {
      for (const { reject } of pending.values()) reject(new Error('the other process has gone'))
      pending.clear()
    },
  }
}
