import type { IncomingHttpHeaders } from 'node:http'
import type { OutboundClient } from '../outbound/outbound-client.ts'
import { DocumentError } from './document.ts'
import { freshnessOf } from './freshness.ts'

const maxBytes = 5 * 1024
const timeout = 3000

/** A fetched text, and the seconds for which it is used. */
export type Fetched = { body: Buffer; seconds: number }

/**
 * Fetches a JSON document of a client.
 *
 * @throws DocumentError that says what is wrong with the response. If the request fails, only its `cause` says
 * why: the message is displayed to strangers and must not describe the network.
 */
export async function fetchDocument(
  send: OutboundClient,
  url: string,
  now: () => Date,
): Promise<Fetched> {
  const headers = { accept: 'application/json', 'accept-encoding': 'identity' }
  const signal = AbortSignal.timeout(timeout)
  const response = await send(url, { method: 'GET', headers, signal, maxBytes }).catch((cause) => {
    const problem = `could not be fetched within ${timeout / 1000} seconds and ${maxBytes} bytes`
    throw new DocumentError(problem, { cause })
  })
  const { status, body } = response
  if (status !== 200) throw new DocumentError(`has the status ${status} instead of 200`)
  const problem = findHeaderProblem(response.headers)
  if (problem) throw new DocumentError(problem)
  return { body, seconds: freshnessOf(response.headers, now()) }
}

function findHeaderProblem(headers: IncomingHttpHeaders): string | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (!/^application\/([^\s/]+\+)?json$/i.test(type.trim()))
    return 'must have the content type application/json or application/*+json'
  const encoding = headers['content-encoding']
  if (encoding && encoding !== 'identity') return 'must have no content encoding'
  return undefined
}
