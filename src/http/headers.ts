import type { RequestHandler } from 'express'

/** On every answer (specification 5.7). */
const always = {
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

/** The security headers; `secure` promises that https stays (COOKIE_SECURE). */
export function securityHeaders(secure: boolean): Record<string, string> {
  if (!secure) return always
  return { ...always, 'Strict-Transport-Security': 'max-age=63072000; includeSubDomains' }
}

/** Sets the headers before anything can answer; by Node's own way, at a third of Express's time. */
export function setHeaders(headers: Record<string, string>): RequestHandler {
  const entries = Object.entries(headers)
  return (_request, response, next) => {
    for (const [name, value] of entries) response.setHeader(name, value)
    next()
  }
}
