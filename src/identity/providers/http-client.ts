import * as oauth from 'oauth4webapi'
import {
  createOutboundClient,
  type OutboundClient,
  OutboundResponseError,
} from '../../outbound/outbound-client.ts'
import { everyHost } from '../../outbound/outbound-hosts.ts'
import type { ReadDocument } from './documents.ts'
import { describeError, ProviderError } from './provider-error.ts'

/** The maximum size of a response body, in bytes. */
const maxBytes = 1 << 20

/** Sends requests to the providers that the operator has configured. */
const configuredProviders = createOutboundClient(everyHost, { keepsConnections: true })

/** The options of the requests of one step of a sign-in, which share one deadline. */
export type RequestOptions = {
  signal: AbortSignal
  [oauth.customFetch]: (url: string, options: FetchOptions) => Promise<Response>
  [oauth.allowInsecureRequests]: boolean
}

/**
 * Creates options for requests that take `timeout` milliseconds in total, bodies included. `send`
 * replaces how requests are sent.
 */
export function createRequestOptions(
  timeout: number,
  allowInsecure: boolean,
  send: SendToProvider = createOutboundSend(configuredProviders, timeout),
): RequestOptions {
  return {
    signal: AbortSignal.timeout(timeout),
    [oauth.customFetch]: (url, options) => fetchFromProvider(url, options, send),
    [oauth.allowInsecureRequests]: allowInsecure,
  }
}

/** Sends a request without following redirects. */
export type SendToProvider = (url: string, options: FetchOptions) => Promise<Response>

/** Sends requests to a provider by a client that bounds what a response costs. */
export function createOutboundSend(client: OutboundClient, timeout: number): SendToProvider {
  return async (url, { method, headers, body, signal }) => {
    const response = await client(url, {
      method,
      headers,
      ...(body !== undefined && body !== null && { body: String(body) }),
      signal: signal ?? AbortSignal.timeout(timeout),
      maxBytes,
    })
    const { status } = response
    const isEmpty = status === 204 || status === 205 || status === 304 || status < 200
    const type = response.headers['content-type']
    return new Response(isEmpty ? null : new Uint8Array(response.body), {
      status: status < 200 ? 502 : status,
      headers: type === undefined ? {} : { 'content-type': type },
    })
  }
}

type FetchOptions = {
  method: string
  headers: Record<string, string>
  body?: oauth.ProtectedResourceRequestBody
  signal?: AbortSignal
}

/** Sends a request to a provider. Rejects with a `ProviderError` only. */
async function fetchFromProvider(
  url: string,
  options: FetchOptions,
  send: SendToProvider,
): Promise<Response> {
  try {
    const response = await send(url, options)
    const { status } = response
    const error = findStatusError(status, `${url}: status ${status}`)
    if (error) throw error
    return response
  } catch (error) {
    if (error instanceof ProviderError) throw error
    const code =
      error instanceof OutboundResponseError ? 'invalid_response' : 'provider_unavailable'
    throw new ProviderError(code, `${url}: ${describeError(error)}`)
  }
}

/** Fetches a JSON document and checks it. */
export async function fetchJson<Value>(
  url: string,
  { signal, [oauth.customFetch]: fetch }: RequestOptions,
  read: ReadDocument<Value>,
): Promise<Value> {
  const headers = { accept: 'application/json' }
  const response = await fetch(url, { method: 'GET', headers, signal })
  if (response.status !== 200) {
    throw new ProviderError('provider_error', `${url}: status ${response.status}`)
  }
  return read(await response.json())
}

/** Returns the error for a status that no step accepts. The callers handle all other statuses. */
function findStatusError(status: number, reason: string): ProviderError | undefined {
  if (status >= 500 || status === 429) return new ProviderError('provider_unavailable', reason)
  if (status >= 300 && status < 400) return new ProviderError('invalid_response', reason)
  return undefined
}
