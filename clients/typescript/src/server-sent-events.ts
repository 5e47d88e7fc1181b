/** An event of a stream of server-sent events (HTML Living Standard, section 9.2). */
export type ServerSentEvent = { type: string; data: string }

/** Reads the events of a response. Comments, `id` and `retry` are ignored. */
export async function* readEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true }
    const blocks = `${rest}${value}`.replaceAll('\r\n', '\n').split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield* readEvent(block)
    if (done) return
  }
}

function* readEvent(block: string): Generator<ServerSentEvent> {
  const lines = block.split('\n')
  const read = (name: string) =>
    lines.flatMap((line) =>
      line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, '')] : [],
    )
  const data = read('data')
  if (data.length > 0) yield { type: read('event')[0] ?? 'message', data: data.join('\n') }
}
