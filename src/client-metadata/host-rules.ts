import { isIP } from 'node:net'

/** Which hosts documents of clients may be fetched from: every one, one by its name, or subdomains of one. */
export type HostRule = { isExcluded: boolean } & (
  | { kind: 'every' }
  | { kind: 'host'; host: string }
  | { kind: 'subdomains'; of: string }
)

/**
 * Reads a rule of CLIENT_METADATA_HOSTS.
 *
 * @throws an Error whose message continues a sentence that starts with the name of the setting
 */
export function hostRule(text: string): HostRule {
  const [, excluded, dot, name = ''] = /^(!?)(\.?)(.*)$/s.exec(text) ?? []
  const isExcluded = excluded === '!'
  if (name === '*' && !dot && !isExcluded) return { isExcluded, kind: 'every' }
  const host = readHost(name)
  if (host === undefined || (dot && isAddress(host)))
    throw new Error(
      `must list host names without ports, .example.com for subdomains, ! before excluded ones, or *: ${JSON.stringify(text)}`,
    )
  return dot ? { isExcluded, kind: 'subdomains', of: host } : { isExcluded, kind: 'host', host }
}

/** Whether a host is allowed. An exclusion wins over every other rule. */
export function isAllowedHost(rules: readonly HostRule[], host: string): boolean {
  const matching = rules.filter((rule) => matches(rule, host))
  return matching.length > 0 && matching.every(({ isExcluded }) => !isExcluded)
}

function matches(rule: HostRule, host: string): boolean {
  switch (rule.kind) {
    case 'every':
      return true
    case 'host':
      return rule.host === host
    case 'subdomains':
      return !isAddress(host) && host.endsWith(`.${rule.of}`)
  }
}

/** Returns a host as the URL parser spells it, or undefined if the text is anything else. */
function readHost(text: string): string | undefined {
  if (!/^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\*!%]+)$/i.test(text)) return undefined
  const url = `https://${text}/`
  if (!URL.canParse(url)) return undefined
  const { hostname } = new URL(url)
  return hostname.endsWith('.') ? undefined : hostname
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0
}
