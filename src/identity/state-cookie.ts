import { createHash } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { AuthorizationRequest } from './oauth/authorization-request.ts'
import type {
  Identity,
  LoginSecrets,
  ProvedAddress,
  SignInProviderName,
} from './providers/provider.ts'

/** Whether the login is to a client app (`user`) or to the admin console (`admin`). */
export type Flow = 'user' | 'admin'

/** Where to send the code of a login, its PKCE challenge and the client app's state. */
export type LoginClient = {
  redirectUri: string
  codeChallenge: string | undefined
  state: string | undefined
}

/** Who links an account, in which browser session. `account` is what they have signed in with. */
export type AccountLink = {
  userId: string
  browserSessionId: string
  account?: Pick<Identity, 'provider' | 'subject' | 'email' | 'emailVerified' | 'hostedDomain'>
}

/** The state of a login between its start and its callback. */
export type OAuthState = {
  flow: Flow
  provider: SignInProviderName
  /** Seconds since the epoch. */
  startedAt: number
  /** The configuration of the provider when the login started, if it can be replaced. */
  configuration?: string
  secrets: LoginSecrets
  /** In the admin flow: the path of the admin console to return to. */
  returnTo?: string
  /** In the user flow: the client app, or its request if the login began at `/oauth/authorize`. */
  client?: LoginClient | { authorization: AuthorizationRequest }
  /** In the user flow: the link of an account that the account page asked for. Replaces `client`. */
  link?: AccountLink
  /** In the user flow: the token of the invitation to return to. Replaces `client`. */
  invitation?: string
  /** The address to which a code was asked for. */
  address?: string
  /** The address that a code has proved, which the completed login links. */
  links?: ProvedAddress
}

/** What a login leads to, whatever provider completes it. */
export type Continuation = Pick<
  OAuthState,
  'flow' | 'client' | 'invitation' | 'link' | 'returnTo' | 'links'
>

/** Returns what another login continues. */
export function continuationOf({ flow, client, invitation, returnTo }: OAuthState): Continuation {
  return {
    flow,
    ...(client && { client }),
    ...(invitation !== undefined && { invitation }),
    ...(returnTo !== undefined && { returnTo }),
  }
}

/** The time that a person has to sign in at the provider, in seconds. */
export const stateSeconds = 600

/** The time that a login has in all, if a page renews its cookie. */
export const maxFlowSeconds = 1800

/** Stores the state of logins in cookies that the browser can neither read nor change. */
export type StateCookies = {
  /** Returns a cookie that lives ten minutes from now, but no longer than thirty after the login started. */
  seal(state: OAuthState): Promise<string>
  /** Returns the state, or undefined if the cookie has expired or was not sealed by this server. */
  open(cookie: string): Promise<OAuthState | undefined>
}

/**
 * Creates state cookies: JWTs encrypted (RFC 7516: dir, A256GCM) with a key derived from the
 * session secret.
 */
export function createStateCookies(secret: string, now: () => Date): StateCookies {
  const key = createHash('sha256').update('login state').update(secret).digest()
  return {
    seal(login) {
      const issuedAt = Math.floor(now().getTime() / 1000)
      return new EncryptJWT({ login })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(Math.min(issuedAt + stateSeconds, login.startedAt + maxFlowSeconds))
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
