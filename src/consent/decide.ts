/** A consent of a user to what a client asks for in a workspace. */
export type SavedConsent = { scopes: string[]; metadataHash: string; lastUsedAt: Date }

/** What a decision depends on. */
export type ConsentFacts = {
  saved: SavedConsent | undefined
  scopes: string[]
  /** A hash of what the client says about its redirect URIs, authentication method and keys. */
  metadataHash: string
  /** Where the answer goes. */
  redirectUri: string
  /** Whether the client authenticates by a private key alone. */
  isAuthenticated: boolean
  /** Whether the client demands the page. */
  isRequested: boolean
  /** Whether no page may be displayed. */
  isSilent: boolean
  /** Whether the user has several workspaces to choose from. */
  hasChoice: boolean
  now: Date
}

/** `ask` displays the page, `remembered` uses an earlier consent, and `refuse` does without a page. */
export type ConsentDecision = 'ask' | 'remembered' | 'refuse'

/** The days after which an unused consent is asked for again. */
export const unusedDays = 180

/** Decides whether a user must be asked. */
export function decideConsent(facts: ConsentFacts): ConsentDecision {
  if (!facts.isRequested && !facts.hasChoice && isRemembered(facts)) return 'remembered'
  return facts.isSilent ? 'refuse' : 'ask'
}

function isRemembered({ saved, scopes, metadataHash, now, ...facts }: ConsentFacts): boolean {
  if (!saved || !canRemember(facts)) return false
  const unused = now.getTime() - saved.lastUsedAt.getTime()
  return (
    saved.metadataHash === metadataHash &&
    scopes.every((name) => saved.scopes.includes(name)) &&
    unused <= unusedDays * 86_400_000
  )
}

/**
 * Whether a consent may be remembered. Any program on the computer of the user can receive what goes to
 * a loopback address or a private-use scheme, so it could use the consent to another one (RFC 8252, 8.6),
 * unless the client proves who it is.
 */
export function canRemember({
  redirectUri,
  isAuthenticated,
}: Pick<ConsentFacts, 'redirectUri' | 'isAuthenticated'>): boolean {
  return isAuthenticated || !isLocal(redirectUri)
}

/** Whether a redirect URI leads to a program on the computer of the user. */
export function isLocal(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  if (protocol !== 'https:' && protocol !== 'http:') return true
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost\.?)$/.test(hostname)
}
