import { domainToUnicode } from 'node:url'
import { isLocal } from './decide.ts'

/** The number of characters that are shown of a name that a client gives itself. */
const maxNameLength = 100

/** Characters without a glyph, and those that turn text around. */
const invisible = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu

/** Returns what can be shown of the name that a client gives itself; empty if nothing can. */
export function shownName(name: string): string {
  const text = name.replace(invisible, ' ').replace(/\s+/gu, ' ').trim()
  return [...text].slice(0, maxNameLength).join('').trim()
}

/** Returns the host of a URL as A-labels, with its port unless it is the usual one. */
export function hostOf(url: string): string {
  return new URL(url).host
}

/** Returns the host that receives an answer, or undefined if it is a program on the computer. */
export function receiverOf(redirectUri: string): string | undefined {
  return isLocal(redirectUri) ? undefined : hostOf(redirectUri)
}

/** The scripts of which a host name can be shown in Unicode. */
const scripts = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Devanagari'],
  ...['Bengali', 'Tamil', 'Thai', 'Hangul', 'Han', 'Hiragana', 'Katakana'],
].map((script) => new RegExp(`^[\\p{Script=${script}}\\d.:-]+$`, 'u'))

/** Returns the Unicode form of a host if it differs and is of one script. */
export function unicodeOf(host: string): string | undefined {
  const [name = '', port] = host.split(':')
  const unicode = domainToUnicode(name)
  if (unicode === '' || unicode === name || !scripts.some((one) => one.test(unicode)))
    return undefined
  return port === undefined ? unicode : `${unicode}:${port}`
}
