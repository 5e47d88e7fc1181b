import { lookup, Resolver } from 'node:dns/promises'
import type { Agent, IncomingHttpHeaders } from 'node:http'
import * as https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOf } from '../core/host-pattern.ts'
import { http } from '../core/node-http.ts'
import { createBodyBuffer } from './body-buffer.ts'
import type { OutboundHosts } from './outbound-hosts.ts'

export type OutboundRequest = {
  method: string
  headers?: Record<string, string>
  body?: string
  /** Ends the request, including the resolution of the host name. */
  signal: AbortSignal
  /**
   * The maximum size of the response body, in bytes. A larger body fails the request. By default,
   * the body is not read.
   */
  maxBytes?: number
  /** Whether a larger body is cut off instead. */
  isTruncated?: boolean
}

export type OutboundResponse = {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Sends a request to a URL of another party. */
export type OutboundClient = (url: string, request: OutboundRequest) => Promise<OutboundResponse>

/** A request to a host that the server may not call. Nothing has been sent. */
export class OutboundHostError extends Error {}

/** A response that exceeds a limit. */
export class OutboundResponseError extends Error {}

/** Milliseconds to wait for a DNS server before asking again. */
const dnsTimeout = 2000

/** The maximum number of responses with a status of 1xx before the response to a request. */
const maxInformational = 20

/** Milliseconds after which an idle connection is closed. */
const idleTimeout = 4000

/**
 * Creates the client for requests to URLs of other parties, such as client apps.
 *
 * - It connects only to addresses that `hosts` allows: it resolves the name once, judges every address,
 *   and connects to exactly these.
 * - It follows no redirects and uses no proxy.
 * - With `keepsConnections`, it reuses idle connections to addresses that it has judged, and sends a
 *   request again if the server has closed the connection. By default, it keeps none.
 *
 * `dnsServers` replaces the DNS servers of the system.
 */
export function createOutboundClient(
  hosts: OutboundHosts,
  {
    dnsServers,
    keepsConnections = false,
  }: { dnsServers?: string[]; keepsConnections?: boolean } = {},
): OutboundClient {
  const agents = keepsConnections ? createAgents() : undefined
  /** Returns the addresses of the host. Throws unless the server may connect to all of them. */
  async function resolve(host: string, signal: AbortSignal) {
    const addresses = await findAddresses(host, signal)
    for (const address of addresses) {
      if (!hosts.allowsAddress(host, address)) {
        throw new OutboundHostError(`${host} is not a public host (${address})`)
      }
    }
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }

  /**
   * Other names are not resolved by the system, whose resolver takes a thread of the process for
   * each name, so another party's slow DNS server would delay every other call.
   */
  function findAddresses(host: string, signal: AbortSignal): Promise<string[]> {
    if (isIP(host) !== 0) return Promise.resolve([host])
    return hosts.isListedName(host)
      ? resolveBySystem(host, signal)
      : resolveByDns(host, signal, dnsServers)
  }

  return async (text, request) => {
    const url = new URL(text)
    const problem = hosts.findProblem(url)
    if (problem) throw new OutboundHostError(`The URL ${problem}`)
    return send(url, await resolve(hostOf(url), request.signal), request, agents)
  }
}

type Agents = { 'http:': Agent; 'https:': https.Agent }

/** The maximum number of idle connections to a host: a webhook is sent as many deliveries at the same time. */
const maxIdle = 8

/** Keeps an idle connection only for as long as almost every server does. */
function createAgents(): Agents {
  const options = { keepAlive: true, timeout: idleTimeout, maxFreeSockets: maxIdle }
  return { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
}

async function resolveBySystem(host: string, signal: AbortSignal): Promise<string[]> {
  const addresses = await abortable(lookup(host, { all: true }), signal)
  return addresses.map(({ address }) => address)
}

async function resolveByDns(
  host: string,
  signal: AbortSignal,
  servers: string[] | undefined,
): Promise<string[]> {
  const resolver = new Resolver({ timeout: dnsTimeout, tries: 2 })
  if (servers) resolver.setServers(servers)
  try {
    const results = await abortable(
      Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]),
      signal,
    )
    const addresses = results.flatMap((result) =>
      result.status === 'fulfilled' ? result.value : [],
    )
    if (addresses.length === 0) throw new Error(`${host} has no address`)
    return addresses
  } finally {
    resolver.cancel()
  }
}

/** Rejects once the signal is aborted. */
async function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function send(
  url: URL,
  addresses: { address: string; family: number }[],
  outbound: OutboundRequest,
  agents: Agents | undefined,
): Promise<OutboundResponse> {
  const { method, headers = {}, body = '', signal, maxBytes, isTruncated = false } = outbound
  const [first] = addresses
  const lookup: LookupFunction = (_host, { all }, callback) =>
    all ? callback(null, addresses) : callback(null, first?.address ?? '', first?.family)
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...headers, 'user-agent': 'daikon' }, signal }
    let hasResponse = false
    const agent = agents?.[url.protocol as keyof Agents] ?? false
    const sent = request(url, { ...options, lookup, agent }, (response) => {
      hasResponse = true
      const { statusCode: status = 0, headers } = response
      response.on('error', reject)
      if (maxBytes === undefined) {
        resolve({ status, headers, body: Buffer.alloc(0) })
        // Closes the connection without waiting for the body.
        sent.destroy()
        return
      }
      const body = createBodyBuffer(maxBytes)
      const finish = () => resolve({ status, headers, body: body.read() })
      response.on('data', (chunk: Buffer) => {
        const problem = body.add(chunk)
        if (problem === undefined) return
        if (isTruncated) finish()
        else reject(new OutboundResponseError(problem))
        response.removeAllListeners('data')
        sent.destroy()
      })
      response.on('end', finish)
    })
    let informational = 0
    sent.on('information', () => {
      informational += 1
      if (informational <= maxInformational) return
      const problem = `The server sent more than ${maxInformational} informational responses`
      reject(new OutboundResponseError(problem))
      sent.destroy()
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      if (wasClosed && sent.reusedSocket && !hasResponse)
        resolve(send(url, addresses, outbound, undefined))
      else reject(error)
    })
    sent.end(body)
  })
}
