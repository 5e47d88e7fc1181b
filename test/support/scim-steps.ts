import type { ExecutionContext } from 'ava'
import type { Directory, ScimResponse } from './scim.ts'

/** A request with `{name}` for values that earlier steps have saved, and what its response contains. */
export type Step = {
  send: [method: string, path: string, body?: object]
  status: number
  body?: object
  /** Saves the ID of the response under a name. */
  save?: string
}

/** Sends the requests one after the other. */
export async function runSteps(
  t: ExecutionContext,
  directory: Directory,
  steps: Step[],
): Promise<void> {
  const saved: Record<string, string> = { domain: directory.domain }
  const fillText = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name) => saved[name] ?? '')
  const fill = (value: unknown): any => {
    if (typeof value === 'string') return fillText(value)
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item)]))
  }
  for (const { send, status, body, save } of steps) {
    const [method, path, content] = send
    const label = `${method} ${path} ${JSON.stringify(content)}`
    const filled = fillText(path).replace(/(?<=filter=)[^&]*/, encodeURIComponent)
    const response: ScimResponse = await directory.send(method, filled, content && fill(content))
    t.is(response.status, status, `${label}: ${JSON.stringify(response.body)}`)
    if (body) t.like(response.body, fill(body), label)
    if (save) saved[save] = response.body.id
  }
}
