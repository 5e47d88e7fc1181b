import * as oauth from 'oauth4webapi'
import { describeError, ProviderError } from './provider-error.ts'

/** The maximum size of a response body, in bytes. */
const maxBytes = 1 << 20

/** The options of the requests of one step of a sign-in, which share one deadline. */
export type RequestOptions = {
  signal: AbortSignal
  [oauth.customFetch]: typeof boundedFetch
  [oauth.allowInsecureRequests]: boolean
}

/** Creates options for requests that take `timeout` milliseconds in total, bodies included. */
export function createRequestOptions(timeout: number, allowInsecure: boolean): RequestOptions {
  return {
    signal: AbortSignal.timeout(timeout),
    [oauth.customFetch]: boundedFetch,
    [oauth.allowInsecureRequests]: allowInsecure,
  }
}

type FetchOptions = {
  method: string
  headers: Record<string, string>
  body?: oauth.ProtectedResourceRequestBody
  signal?: AbortSignal
}

/** Sends a request to a provider. Follows no redirects and limits the size of the response. */
async function boundedFetch(
  url: string,
  { method, headers, body, signal }: FetchOptions,
): Promise<Response> {
  try {
    const response = await fetch(url, {
      method,
      body: body ?? null,
      signal: signal ?? null,
      redirect: 'manual',
      headers: { ...headers, 'user-agent': 'daikon' },
    })
    const { status } = response
    const error = findStatusError(status, `${url}: status ${status}`)
    if (error) {
      await response.body?.cancel()
      throw error
    }
    return new Response(status === 204 ? null : await readBounded(response, url), response)
  } catch (error) {
    if (error instanceof ProviderError) throw error
    throw new ProviderError('provider_unavailable', `${url}: ${describeError(error)}`)
  }
}

/** Fetches a JSON object. */
export async function fetchJson(
  url: string,
  { signal }: RequestOptions,
): Promise<Record<string, unknown>> {
  const headers = { accept: 'application/json' }
  const response = await boundedFetch(url, { method: 'GET', headers, signal })
  if (response.status !== 200) {
    throw new ProviderError('provider_error', `${url}: status ${response.status}`)
  }
  return readJson(response)
}

/** Reads a JSON object or array. */
export async function readJson(response: Response): Promise<Record<string, unknown>> {
  const value: unknown = await response.json()
  if (typeof value !== 'object' || value === null)
    throw new TypeError('the response is not a JSON object')
  return value as Record<string, unknown>
}

async function readBounded(response: Response, url: string): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw new ProviderError('invalid_response', `${url}: response too large`)
    chunks.push(chunk)
  }
  return new Blob(chunks)
}

/** Returns the error for a status that no step accepts. The callers handle all other statuses. */
function findStatusError(status: number, reason: string): ProviderError | undefined {
  if (status >= 500 || status === 429) return new ProviderError('provider_unavailable', reason)
  if (status >= 300 && status < 400) return new ProviderError('invalid_response', reason)
  return undefined
}
