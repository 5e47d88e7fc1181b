import { randomUUID } from 'node:crypto'
import type { TestEnvironment } from './test-environment.ts'
import type { Outcome, Transport } from './transports.ts'

/** In seconds. Longer than the tests of a file take on a busy machine. */
const lifetime = 86_400

/** Creates an administrator. `call` sends requests to AdminService with their admin token. */
export async function createAdmin({
  app,
  seed,
}: Pick<TestEnvironment, 'seed'> & { app: Pick<TestEnvironment['app'], 'tokens'> }) {
  const id = await seed.user('admin', { is_admin: true })
  const profile = { sub: id, jti: randomUUID(), email: 'admin@example.com', name: 'admin' }
  const token = await app.tokens.sign('admin_access', { ...profile, admin: true }, lifetime)
  const call = (transport: Transport, method: string, message: object = {}): Promise<Outcome> =>
    transport.call(`AdminService/${method}`, message, { admin: token })
  return { id, token, call }
}
