import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { ServiceError } from '../core/errors.ts'
import { loopbackHosts } from '../core/loopback.ts'
import { reasons } from './reasons.ts'

const baseHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'X-XSS-Protection': '0',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'Cache-Control': 'no-store',
  Server: 'daikon',
}

/** Returns the headers of every response. `isHttps` adds Strict-Transport-Security. */
export function securityHeaders(isHttps: boolean): Record<string, string> {
  if (!isHttps) return baseHeaders
  return { ...baseHeaders, 'Strict-Transport-Security': 'max-age=63072000; includeSubDomains' }
}

/** Sets headers on every response. Node's `setHeader` is three times as fast as Express's `set`. */
export function setHeaders(headers: Record<string, string>): RequestHandler {
  const entries = Object.entries(headers)
  return (_request, response, next) => {
    for (const [name, value] of entries) response.setHeader(name, value)
    next()
  }
}

/**
 * Returns the Host headers to accept at the given URLs: their hosts and, if one of them is a
 * loopback host, all loopback hosts.
 */
export function deriveAllowedHosts(...urls: string[]): string[] {
  const hosts = urls.map((url) => new URL(url).hostname).filter(Boolean)
  if (hosts.length === 0) return ['*']
  return hosts.some((host) => loopbackHosts.includes(host)) ? [...hosts, ...loopbackHosts] : hosts
}

/** Returns an error if the Host header is missing, repeated or not allowed (`*` allows any). */
export function checkHost(
  { headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>,
  allowedHosts: string[],
): ServiceError | undefined {
  // Proxies and Node may disagree on which of two Host headers counts.
  const [header, ...repeated] = headersDistinct.host ?? []
  const host = /^(\[[\da-f:.]+\]|[^:[\]\s/@]+)(:\d{1,5})?$/i.exec(header ?? '')?.[1]?.toLowerCase()
  const isAllowed =
    host !== undefined && (allowedHosts.includes('*') || allowedHosts.includes(host))
  if (isAllowed && repeated.length === 0) return undefined
  return new ServiceError(reasons.HOST_NOT_ALLOWED)
}
