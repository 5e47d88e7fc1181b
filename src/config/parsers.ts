import { Resolver } from 'node:dns'
import { normalizeEmail } from '../core/email.ts'
import { type HostPattern, readHostPattern } from '../core/host-pattern.ts'
import { readTargetSessionAttributes, splitHosts } from '../core/postgres-hosts.ts'
import { encryptionKeySize } from '../core/secret-box.ts'

// Each parser turns the text of a setting into its value. Its error continues a sentence that
// starts with the name of the variable: "HTTP_PORT must be …".

export function text(value: string): string {
  return value
}

export function flag(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false')
  return value === 'true'
}

/** 0, 1, 2, … */
export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new Error('must be a whole number, 0 or greater')
  return Number(value)
}

/** 1, 2, 3, … */
export function positiveNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error('must be a whole number, 1 or greater')
  return Number(value)
}

/** 1, 2, 3, …, or undefined for an empty text. */
export function optionalNumber(value: string): number | undefined {
  return value === '' ? undefined : positiveNumber(value)
}

/** 0, 1, 2, …, or undefined for an empty text. */
export function optionalWholeNumber(value: string): number | undefined {
  return value === '' ? undefined : wholeNumber(value)
}

/** 0 to 1, such as 0.25. */
export function fraction(value: string): number {
  if (!/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(value))
    throw new Error('must be a number between 0 and 1')
  return Number(value)
}

export function port(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new Error('must be a port number between 0 and 65535')
  }
  return Number(value)
}

/** An absolute URL with one of the schemes; trailing slashes are removed. */
export function url(...schemes: string[]) {
  const article = schemes[0] === 'http' ? 'an' : 'a'
  return (value: string): string => {
    const isValid = URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))
    if (!isValid) throw new Error(`must be ${article} ${schemes.join(' or ')} URL`)
    return value.replace(/\/+$/, '')
  }
}

/**
 * A PostgreSQL URL. It may list several hosts only if the server is to use the one that accepts
 * writes.
 */
export function databaseUrl(value: string): string {
  const parse = url('postgres', 'postgresql')
  const attributes = readTargetSessionAttributes(value)
  const urls = splitHosts(value)
  if (urls.length > 1 && attributes !== 'read-write') {
    throw new Error('must have target_session_attrs=read-write if it lists several hosts')
  }
  if (attributes !== undefined && !['any', 'read-write'].includes(attributes)) {
    throw new Error('must have target_session_attrs=read-write, or none')
  }
  for (const single of urls) parse(single)
  return value.replace(/\/+$/, '')
}

/** A host name without a port, in lower case, or `*`. */
export function host(value: string): string {
  const isValid = value === '*' || /^(\[[\da-f:.]+\]|[^:[\]\s/@*]+)$/i.test(value)
  if (!isValid) {
    throw new Error(`must list host names without ports, or be *: ${JSON.stringify(value)}`)
  }
  return value.toLowerCase()
}

/** A host name, an IP address or a CIDR range. */
export function hostPattern(value: string): HostPattern {
  const pattern = readHostPattern(value)
  if (pattern) return pattern
  throw new Error(
    `must list host names, IP addresses and CIDR ranges such as 10.0.0.0/8: ${JSON.stringify(value)}`,
  )
}

/** The address of a DNS server, with an optional port. */
export function dnsServer(value: string): string {
  try {
    new Resolver().setServers([value])
    return value
  } catch {
    throw new Error(
      `must list IP addresses, each with an optional port such as 10.0.0.2:53: ${JSON.stringify(value)}`,
    )
  }
}

/** The origin of a web page, such as `https://app.example.com`. */
export function origin(value: string): string {
  const isValid = URL.canParse(value) && /^https?:\/\/[^/?#@]+\/?$/i.test(value)
  if (!isValid) {
    throw new Error(
      `must list origins such as https://app.example.com, without a path: ${JSON.stringify(value)}`,
    )
  }
  return new URL(value).origin
}

/** A normalized e-mail address. */
export function email(value: string): string {
  const normalized = normalizeEmail(value)
  if (!normalized) {
    throw new Error(`contains an invalid e-mail address: ${JSON.stringify(value)}`)
  }
  return normalized
}

/** A key of 32 bytes in base64, such as the output of `openssl rand -base64 32`. */
export function encryptionKey(value: string): Buffer {
  const key = Buffer.from(value.trim(), 'base64')
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(value.trim())
  if (isBase64 && key.length === encryptionKeySize) return key
  // The message does not repeat the key.
  throw new Error(
    `must list keys of ${encryptionKeySize} bytes in base64: run openssl rand -base64 32`,
  )
}

export function oneOf<Value extends string>(...values: Value[]) {
  return (value: string): Value => {
    const match = values.find((candidate) => candidate === value)
    if (match === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return match
  }
}

/** Comma-separated names out of `values`, none twice. An empty text is an empty list. */
export function namesOf<Value extends string>(...values: readonly Value[]) {
  const parse = list(oneOf(...values))
  return (value: string): Value[] => {
    const names = parse(value)
    const repeated = names.find((name, index) => names.indexOf(name) < index)
    if (repeated !== undefined) throw new Error(`must list ${repeated} only once`)
    return names
  }
}

/** Accepts an empty text as well. */
export function optional(parse: (text: string) => string) {
  return (value: string): string => (value === '' ? '' : parse(value))
}

/** Comma-separated items. An empty text is an empty list. */
export function list<Item>(parse: (text: string) => Item) {
  return (value: string): Item[] =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(parse)
}
