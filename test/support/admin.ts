import { randomUUID } from 'node:crypto'
import type { TestEnvironment } from './test-environment.ts'
import type { Outcome, Transport } from './transports.ts'

/** An administrator with an admin token, and their way of calling. */
export async function hireAdmin({ app, seed }: TestEnvironment) {
  const id = await seed.user('boss', { is_admin: true })
  const person = { sub: id, jti: randomUUID(), email: 'boss@example.com', name: 'boss' }
  const admin = await app.tokens.sign('admin_access', { ...person, admin: true }, 900)
  const call = (transport: Transport, method: string, message: object = {}): Promise<Outcome> =>
    transport.call(`AdminService/${method}`, message, { admin })
  return { id, admin, call }
}
