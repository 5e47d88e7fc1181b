import { createHash } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { createSecret } from './secret.ts'

/** What a browser is remembered by: a secret, and the connections by which somebody has signed in. */
export type Browser = {
  /** Binds the confirmations of pages to the browser that displays them. */
  secret: string
  /** The ends of the memory in seconds since 1970, by the ID of the connection, oldest first. */
  connections: Record<string, number>
}

/** Signs the cookie of browsers. */
export type BrowserCookies = {
  sign(browser: Browser): Promise<string>
  /** Returns what a cookie says, or a new browser if there is none that this server signed. */
  read(cookie: string | undefined): Promise<Browser>
  /** Returns the browser after a sign-in through a connection. */
  remember(browser: Browser, connectionId: string): Browser
}

/** How long a connection is remembered: 180 days, the lifetime of the cookie (oauth.proto). */
const memorySeconds = 180 * 86_400

/** More connections would make the cookie too long. The oldest one is forgotten. */
const maxRemembered = 10

const audience = 'browser'

/** Creates signed cookies: JWTs (HS256) with a key derived from the session secret. */
export function createBrowserCookies(secret: string, now: () => Date): BrowserCookies {
  const key = createHash('sha256').update('browser').update(secret).digest()
  const seconds = () => Math.floor(now().getTime() / 1000)
  return {
    sign: (browser) =>
      new SignJWT(browser)
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(audience)
        .setExpirationTime(seconds() + memorySeconds)
        .sign(key),

    async read(cookie) {
      try {
        const options = { audience, algorithms: ['HS256'], currentDate: now() }
        const { payload } = await jwtVerify<Browser>(cookie ?? '', key, options)
        const known = Object.entries(payload.connections).filter(([, end]) => end > seconds())
        return { secret: payload.secret, connections: Object.fromEntries(known) }
      } catch {
        return { secret: createSecret(), connections: {} }
      }
    },

    remember({ secret, connections }, connectionId) {
      const others = Object.entries(connections).filter(([id]) => id !== connectionId)
      const added = [connectionId, seconds() + memorySeconds] as const
      const kept = others.slice(1 - maxRemembered)
      return { secret, connections: Object.fromEntries([...kept, added]) }
    },
  }
}
