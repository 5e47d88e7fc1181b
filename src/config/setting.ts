import { normalizeEmail } from '../core/email.ts'

/** One thing that can be set: what it is when unset, how its text is read, and a sentence. */
export type Setting<Value> = {
  fallback: string
  parse: (text: string) => Value
  sentence: string
}

/** All that is wrong with the environment, one sentence a variable. */
export class ConfigError extends Error {}

/** Declares a setting. */
export function setting<Value>(
  fallback: string,
  parse: (text: string) => Value,
  sentence: string,
): Setting<Value> {
  return { fallback, parse, sentence }
}

/** As it stands. */
export function text(value: string): string {
  return value
}

/** true or false. */
export function flag(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false')
  return value === 'true'
}

/** 0, 1, 2, … */
export function natural(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new Error('must be a whole number from 0 on')
  return Number(value)
}

/** 1, 2, 3, … */
export function count(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error('must be a whole number from 1 on')
  return Number(value)
}

/** A port; 0 picks a free one. */
export function port(value: string): number {
  const number = natural(value)
  if (number > 65_535) throw new Error('must be a port, 0 to 65535')
  return number
}

/** An address with one of these schemes; slashes at its end are dropped. */
export function url(...schemes: string[]) {
  return (value: string): string => {
    const fits = URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))
    if (!fits) throw new Error(`must be a URL that begins with ${schemes.join(':// or ')}://`)
    return value.replace(/\/+$/, '')
  }
}

/** The name of a host without its port, in lower case, or `*`. */
export function host(value: string): string {
  const fits = value === '*' || /^(\[[\da-f:.]+\]|[^:[\]\s/@*]+)$/i.test(value)
  if (!fits) throw new Error(`must be names of hosts without ports, or *: ${value}`)
  return value.toLowerCase()
}

/** The origin of a page, `https://app.example.com`. */
export function origin(value: string): string {
  const fits = URL.canParse(value) && /^https?:\/\/[^/?#@]+\/?$/i.test(value)
  if (!fits) throw new Error(`must be origins like https://app.example.com: ${value}`)
  return new URL(value).origin
}

/** The empty text says that there is none. */
export function orEmpty(parse: (text: string) => string) {
  return (value: string): string => (value === '' ? '' : parse(value))
}

/** Something with commas between; none at all is an empty list. */
export function list<Item>(parse: (text: string) => Item) {
  return (value: string): Item[] =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(parse)
}

/** An e-mail address in its one spelling. */
export function email(value: string): string {
  const normal = normalizeEmail(value)
  if (!normal) throw new Error(`has no valid e-mail address: ${JSON.stringify(value)}`)
  return normal
}

/** One of a few words. */
export function oneOf<Value extends string>(...values: Value[]) {
  return (value: string): Value => {
    const known = values.find((candidate) => candidate === value)
    if (known === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return known
  }
}
