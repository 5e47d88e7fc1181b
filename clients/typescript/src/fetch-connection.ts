import type { Attempt, Connection, Method } from './connection.ts'
import { abortError, closedError, DeadlineExceededError, UnavailableError } from './errors.ts'
import { readJson, readProblem, unexpectedResponse, unreachable } from './fetch-errors.ts'
import { routes, structs } from './gen/routes.ts'
import type { Route } from './route.ts'
import { readEvents } from './server-sent-events.ts'
import { onAbort } from './signals.ts'

export type FetchOptions = {
  url: string
  serviceKey: string | undefined
  fetch: typeof globalThis.fetch
}

/** The maximum of `grpc-timeout` in milliseconds, more than a day. */
const maxTimeout = 99_999_999

/** Sends calls to the REST API. */
export function createFetchConnection({ url, serviceKey, fetch }: FetchOptions): Connection {
  const base = url.replace(/\/+$/, '')
  const running = new Set<AbortController>()
  const closing = new AbortController()

  function request<Request>(
    { verb, ...route }: Route,
    message: Request,
    signal: AbortSignal,
    headers: Record<string, string>,
  ): Promise<Response> {
    const { path, body, type } = writeRequest(route, message as Record<string, unknown>)
    return fetch(base + path, {
      method: verb,
      headers: {
        ...headers,
        ...(serviceKey !== undefined && { 'x-service-key': serviceKey }),
        ...(type && { 'content-type': type }),
      },
      ...(body !== undefined && { body }),
      signal,
      cache: 'no-store',
      // A redirect would send the key to another address.
      redirect: 'manual',
    })
  }

  return {
    async send<Request, Response>(
      method: Method<Request, Response>,
      message: Request,
      { deadline, signal, token }: Attempt,
    ): Promise<Response> {
      if (closing.signal.aborted) throw closedError()
      if (signal?.aborted) throw abortError(signal)
      const left = Math.ceil(deadline - Date.now())
      const milliseconds = Math.min(Math.max(left, 0), maxTimeout)
      const call = new AbortController()
      running.add(call)
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        call.abort()
      }, milliseconds)
      const stopListening = signal && onAbort(signal, () => call.abort())
      const route = routes[method.path] as Route
      const headers = {
        accept: 'application/json',
        'grpc-timeout': `${milliseconds}m`,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      }
      try {
        const response = await request(route, message, call.signal, headers)
        const content = readJson(await response.text())
        if (!response.ok || content === undefined) throw readProblem(response, content)
        const { responseField } = route
        const body = withoutNulls(content)
        if (!responseField && !isObject(body)) throw unexpectedResponse(response)
        const position = response.headers.get('x-daikon-position')
        return {
          ...(responseField ? { [responseField]: body } : (body as object)),
          ...(position !== null && { position }),
        } as Response
      } catch (error) {
        if (signal?.aborted) throw abortError(signal)
        if (closing.signal.aborted) throw closedError()
        if (isLate) throw new DeadlineExceededError()
        throw unreachable(error, base)
      } finally {
        running.delete(call)
        clearTimeout(timer)
        stopListening?.()
      }
    },

    async *stream<Request, Response>(
      method: Method<Request, Response>,
      message: Request,
      signal: AbortSignal,
    ): AsyncIterable<Response> {
      const route = routes[method.path] as Route
      const leaving = new AbortController()
      const stopListening = onAbort(signal, () => leaving.abort())
      const headers = { accept: 'text/event-stream' }
      try {
        const response = await request(route, message, leaving.signal, headers)
        if (!response.ok) throw readProblem(response, readJson(await response.text()))
        for await (const { type, data } of readEvents(response)) {
          const content = withoutNulls(readJson(data))
          const { reason } = content as { reason?: string }
          if (type === 'error')
            throw new UnavailableError(reason, 'The server has ended the stream')
          yield content as Response
        }
      } catch (error) {
        throw unreachable(error, base)
      } finally {
        stopListening()
        leaving.abort()
      }
    },
    closed: closing.signal,
    close() {
      closing.abort()
      for (const call of running) call.abort()
    },
  }
}

/** Writes the path with the query, and the body, of a request. */
function writeRequest(
  { path, body, query = [] }: Omit<Route, 'verb'>,
  message: Record<string, unknown>,
): { path: string; body?: string; type?: string } {
  const fields = { ...message }
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = encodeURIComponent(String(fields[name]))
    delete fields[name]
    return value
  })
  const parameters = new URLSearchParams()
  for (const name of body ? query : Object.keys(fields)) {
    for (const value of [fields[name]].flat())
      if (value !== undefined)
        parameters.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
    delete fields[name]
  }
  const text = [filled, ...(parameters.toString() ? [parameters] : [])].join('?')
  if (body === 'json') return { path: text, body: JSON.stringify(fields), type: 'application/json' }
  if (body === undefined) return { path: text }
  const form = new URLSearchParams(fields as Record<string, string>)
  return { path: text, body: `${form}`, type: 'application/x-www-form-urlencoded' }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Removes fields that are null, which stands for an absent field, from a message. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).flatMap(([name, content]) => {
    if (content === null) return []
    return [[name, structs.includes(name) ? content : withoutNulls(content)]]
  })
  return Object.fromEntries(fields)
}
