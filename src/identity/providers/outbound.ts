import * as oauth from 'oauth4webapi'
import { describe, ProviderError } from './provider-error.ts'

/** The most that is read of a provider's answer. */
const mostBytes = 1 << 20

/** How the requests of one step are made; together they have one deadline. */
export type Step = {
  signal: AbortSignal
  [oauth.customFetch]: typeof boundedFetch
  [oauth.allowInsecureRequests]: boolean
}

/** A step whose requests may take `timeout` milliseconds together, body included. */
export function startStep(timeout: number, insecure: boolean): Step {
  return {
    signal: AbortSignal.timeout(timeout),
    [oauth.customFetch]: boundedFetch,
    [oauth.allowInsecureRequests]: insecure,
  }
}

type Ask = {
  method: string
  headers: Record<string, string>
  body?: oauth.ProtectedResourceRequestBody
  signal?: AbortSignal
}

/** Asks a provider: no redirect is followed, and no more is read than an answer may have. */
async function boundedFetch(
  url: string,
  { method, headers, body, signal }: Ask,
): Promise<Response> {
  try {
    const answer = await fetch(url, {
      ...{ method, body: body ?? null, signal: signal ?? null, redirect: 'manual' },
      headers: { ...headers, 'user-agent': 'daikon' },
    })
    const { status } = answer
    const refusal = refuse(status, `${url}: status ${status}`)
    if (refusal) {
      await answer.body?.cancel()
      throw refusal
    }
    return new Response(status === 204 ? null : await readBounded(answer, url), answer)
  } catch (error) {
    if (error instanceof ProviderError) throw error
    throw new ProviderError('provider_unavailable', `${url}: ${describe(error)}`)
  }
}

/** The JSON object that a provider's document is. */
export async function fetchJson(url: string, step: Step): Promise<Record<string, unknown>> {
  const headers = { accept: 'application/json' }
  const answer = await boundedFetch(url, { method: 'GET', headers, signal: step.signal })
  if (answer.status !== 200) {
    throw new ProviderError('provider_error', `${url}: status ${answer.status}`)
  }
  return readJson(answer)
}

/** The JSON object or array of an answer. */
export async function readJson(answer: Response): Promise<Record<string, unknown>> {
  const value: unknown = await answer.json()
  if (typeof value !== 'object' || value === null) throw new TypeError('the answer is no object')
  return value as Record<string, unknown>
}

async function readBounded(answer: Response, url: string): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength
    if (size > mostBytes) throw new ProviderError('invalid_response', `${url}: too long an answer`)
    chunks.push(chunk)
  }
  return new Blob(chunks)
}

/** What no answer may have for status: the rest is the protocol's to judge. */
function refuse(status: number, reason: string): ProviderError | undefined {
  if (status >= 500 || status === 429) return new ProviderError('provider_unavailable', reason)
  if (status >= 300 && status < 400) return new ProviderError('invalid_response', reason)
  return undefined
}
