import type { ExecutionContext } from 'ava'
import { startLocalProvider } from '../../../src/dev/mock-provider.ts'

/** Where the providers send people back to, in tests: nobody listens there. */
export const redirectUri = 'http://localhost:8000/auth/callback/any'

export const ann = { name: 'Ann Example', email: 'ann@example.com', hostedDomain: 'example.com' }
export const bob = { name: 'Bob', email: 'Bob@Example.com', verified: false }
export const nameless = { name: '', email: 'nameless@example.com' }

/** The local provider of dev mode, with Ann, Bob and one without a name; it stops with the test. */
export async function startMockProvider(t: ExecutionContext) {
  const client = { id: 'daikon', secret: 'secret', redirectUris: [redirectUri] }
  const local = await startLocalProvider({ people: [ann, bob, nameless], client })
  t.teardown(() => local.close())
  return local
}
