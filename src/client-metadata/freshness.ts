import type { IncomingHttpHeaders } from 'node:http'

const minSeconds = 300
const maxSeconds = 86_400

/**
 * Returns for how many seconds a response is used (RFC 9111, 4.2.1), within limits: a document is neither
 * fetched at each request nor kept for longer than a day.
 */
export function freshnessOf(headers: IncomingHttpHeaders, now: Date): number {
  const seconds = readLifetime(headers, now) - readAge(headers)
  return Math.min(maxSeconds, Math.max(minSeconds, seconds))
}

function readLifetime({ 'cache-control': control, expires, date }: IncomingHttpHeaders, now: Date) {
  const directives = (control ?? '').toLowerCase().split(',')
  const names = directives.map((directive) => directive.trim())
  if (names.some((name) => /^(no-store|no-cache)\b/.test(name))) return 0
  const maxAge = names.flatMap((name) => /^max-age="?(\d{1,9})"?$/.exec(name)?.[1] ?? [])[0]
  if (maxAge !== undefined) return Number(maxAge)
  const until = Date.parse(expires ?? '')
  const since = Number.isNaN(Date.parse(date ?? '')) ? now.getTime() : Date.parse(date ?? '')
  return Number.isNaN(until) ? 0 : Math.floor((until - since) / 1000)
}

function readAge({ age }: IncomingHttpHeaders): number {
  return /^\d{1,9}$/.test(age ?? '') ? Number(age) : 0
}
