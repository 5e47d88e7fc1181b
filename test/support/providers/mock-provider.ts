import type { ExecutionContext } from 'ava'
import { startMockProviders } from '../../../src/dev/mock-providers.ts'

/** The redirect URI of the tests, at which no server listens. */
export const redirectUri = 'http://localhost:8000/auth/callback/any'

export const ann = { name: 'Ann Example', email: 'ann@example.com', hostedDomain: 'example.com' }
export const bob = { name: 'Bob', email: 'Bob@Example.com', verified: false }
export const nameless = { name: '', email: 'nameless@example.com' }

/**
 * Starts the mock provider of development mode with Ann, Bob and a user without a name. Stops it
 * after the test.
 */
export async function startMockProvider(t: ExecutionContext) {
  const client = { id: 'daikon', secret: 'secret', redirectUris: [redirectUri] }
  const local = await startMockProviders({ people: [ann, bob, nameless], client })
  t.teardown(() => local.close())
  return local
}
