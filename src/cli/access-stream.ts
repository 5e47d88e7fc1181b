import { type AccessMessage, toAccessMessage } from '../../gen/access-copy/messages.ts'

/** A server refuses to send a stream, and would again. */
export class RefusedStreamError extends Error {}

const refusals = [400, 401, 403, 404, 422]

/**
 * Follows what resources accept over REST. Ends with an error when the connection ends.
 *
 * @throws RefusedStreamError
 */
export async function* openAccessStream(
  { url, serviceKey, service }: { url: string; serviceKey: string; service: string },
  { types, cursor, signal }: { types: string[]; cursor: string | undefined; signal: AbortSignal },
): AsyncGenerator<AccessMessage> {
  const query = new URLSearchParams({ service_name: service, ...(cursor && { cursor }) })
  for (const type of types) query.append('resource_types', type)
  const response = await fetch(`${url}/permissions/access/watch?${query}`, {
    headers: { accept: 'text/event-stream', 'x-service-key': serviceKey },
    redirect: 'error',
    signal,
  })
  if (!response.ok) {
    const problem = (await response.json().catch(() => ({}))) as { detail?: string }
    const { detail = response.statusText } = problem
    const message = `${url} responded with status ${response.status}: ${detail}`
    throw refusals.includes(response.status) ? new RefusedStreamError(message) : new Error(message)
  }
  let rest = ''
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const message = readEvent(block)
      if (message) yield message
    }
  }
}

/** @throws Error for the event that ends a stream */
function readEvent(block: string): AccessMessage | undefined {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)))
  if (fields.data === undefined) return undefined
  const data = withoutNulls(JSON.parse(fields.data))
  if (fields.event === 'error') throw new Error(`The server has ended the stream: ${data.reason}`)
  return toAccessMessage({ [fields.event]: data })
}

/** Null stands for an absent field. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of any message
function withoutNulls(value: any): any {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const present = Object.entries(value).filter(([, content]) => content !== null)
  return Object.fromEntries(present.map(([name, content]) => [name, withoutNulls(content)]))
}
