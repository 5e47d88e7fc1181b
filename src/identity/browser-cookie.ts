import { createHash } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { readConnectionId } from './providers/connection.ts'
import { createSecret, hashSecret } from './secret.ts'

/** What a browser is remembered by: a secret, and the connections by which somebody has signed in. */
export type Browser = {
  /** Binds the confirmations of pages to the browser that displays them. */
  secret: string
  /** The ends of the memory in seconds since 1970, by the ID of the connection, oldest first. */
  connections: Record<string, number>
  /** The same for the addresses of those who have signed in, by a hash. */
  addresses?: Record<string, number>
  /** The method of the last sign-in. */
  method?: string
}

/** Signs the cookie of browsers. */
export type BrowserCookies = {
  sign(browser: Browser): Promise<string>
  /** Returns the browser of a cookie, or a new one without a cookie that this server signed. */
  read(cookie: string | undefined): Promise<Browser>
  /** Returns the browser after a sign-in by a method or through a connection, of an address if known. */
  remember(browser: Browser, provider: string, email: string | undefined): Browser
}

/** How long a connection or an address is remembered: 180 days, the lifetime of the cookie (oauth.proto). */
const memorySeconds = 180 * 86_400

/** More of them would make the cookie too long. The oldest one is forgotten. */
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
        const { secret, connections, addresses = {}, method } = payload
        const current = (ends: Record<string, number>) =>
          Object.fromEntries(Object.entries(ends).filter(([, end]) => end > seconds()))
        return {
          secret,
          connections: current(connections),
          addresses: current(addresses),
          ...(method !== undefined && { method }),
        }
      } catch {
        return { secret: createSecret(), connections: {} }
      }
    },

    remember(browser, provider, email) {
      const { secret, connections, addresses = {} } = browser
      const add = (ends: Record<string, number>, key: string | undefined) => {
        if (key === undefined) return ends
        const others = Object.entries(ends).filter(([one]) => one !== key)
        const added = [key, seconds() + memorySeconds] as const
        return Object.fromEntries([...others.slice(1 - maxRemembered), added])
      }
      const connectionId = readConnectionId(provider)
      return {
        secret,
        connections: add(connections, connectionId),
        addresses: add(addresses, email && addressKey(browser, email)),
        ...(connectionId === undefined && { method: provider }),
      }
    },
  }
}

/** Returns what stands for a browser in which somebody has signed in with an address, if they have. */
export function browserHashOf(browser: Browser, email: string): string | undefined {
  const isKnown = Object.hasOwn(browser.addresses ?? {}, addressKey(browser, email))
  return isKnown ? hashSecret(browser.secret) : undefined
}

function addressKey({ secret }: Browser, email: string): string {
  return hashSecret(`${secret} ${email}`).slice(0, 22)
}
