/** What only the tab knows that has started a sign-in. */
export type PendingSignIn = { state: string; nonce: string; verifier: string }

export function createPendingSignIn(): PendingSignIn {
  return { state: randomText(), nonce: randomText(), verifier: randomText() }
}

/** Returns the PKCE challenge of a verifier (RFC 7636, method S256). */
export async function createChallenge(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return encodeBase64Url(new Uint8Array(digest))
}

/** Returns the claims of a token that came from the token endpoint itself. */
export function readClaims(token: string): Record<string, unknown> {
  const [, payload = ''] = token.split('.')
  const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))))
}

function randomText(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}

function encodeBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
