import { createHash } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { LoginSecrets, ProviderName } from './providers/provider.ts'

/** Whether somebody signs in to a client app or to the admin panel. */
export type Flow = 'user' | 'admin'

/** What one login has to remember until its callback. */
export type OAuthState = {
  flow: Flow
  provider: ProviderName
  secrets: LoginSecrets
  /** Of the user flow: where the code goes, and what it will be exchanged by. */
  client?: { redirectUri: string; codeChallenge: string; state: string | undefined }
}

/** Seconds that a login may take at the provider. */
export const loginSeconds = 600

/** Keeps login states in the browser, where nobody can read or change them. */
export type StateCookies = {
  seal(state: OAuthState): Promise<string>
  /** The state of a cookie that is whole and in time; undefined for anything else. */
  open(cookie: string): Promise<OAuthState | undefined>
}

/** Login states as encrypted, authenticated JWTs (RFC 7516: dir, A256GCM) under the session secret. */
export function createStateCookies(secret: string, now: () => Date): StateCookies {
  const key = createHash('sha256').update('login state').update(secret).digest()
  return {
    seal(login) {
      const issued = Math.floor(now().getTime() / 1000)
      return new EncryptJWT({ login })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(issued + loginSeconds)
        .encrypt(key)
    },
    async open(cookie) {
      try {
        const { payload } = await jwtDecrypt(cookie, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['exp'],
          currentDate: now(),
        })
        return payload.login as OAuthState
      } catch {
        return undefined
      }
    },
  }
}
