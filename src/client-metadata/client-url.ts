/** The ID of a client that is known by its URL. */
export type ClientUrl = {
  url: string
  /** The host without the port, as host rules compare it. */
  hostname: string
  /** The host as A-labels, with the port unless it is 443. */
  host: string
}

const maxLength = 500

/**
 * Reads a client ID that is a URL (OAuth Client ID Metadata Document, 3). Returns what is wrong with it, as a
 * message that completes "The client_id …".
 */
export function readClientUrl(text: string): ClientUrl | { problem: string } {
  if (text.length > maxLength) return { problem: `must be at most ${maxLength} characters long` }
  if (!URL.canParse(text)) return { problem: 'must be an https URL' }
  const { protocol, href, pathname, username, password, hostname, host } = new URL(text)
  if (protocol !== 'https:') return { problem: 'must be an https URL' }
  if (/[?#]/.test(text)) return { problem: 'must not have a query or a fragment' }
  if (username || password) return { problem: 'must not have a user name' }
  // Documents are compared as text, so two spellings of one URL would be two clients of one document.
  if (href !== text)
    return { problem: 'must be written as URL parsers write it, without dot segments' }
  if (hostname.endsWith('.')) return { problem: 'must not have a host that ends with a dot' }
  if (pathname === '/') return { problem: 'must have a path' }
  return { url: text, hostname, host }
}

/** Whether a client ID is meant to be a URL. */
export function looksLikeUrl(clientId: string): boolean {
  return /^https?:/i.test(clientId)
}
