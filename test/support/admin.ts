import { randomUUID } from 'node:crypto'
import type { Door, Ending } from './doors.ts'
import type { World } from './world.ts'

/** An administrator with an admin token, and their way of calling. */
export async function hireAdmin({ app, seed }: World) {
  const id = await seed.user('boss', { is_admin: true })
  const person = { sub: id, jti: randomUUID(), email: 'boss@example.com', name: 'boss' }
  const admin = await app.tokens.sign('admin_access', { ...person, admin: true }, 900)
  const call = (door: Door, method: string, message: object = {}): Promise<Ending> =>
    door.call(`AdminService/${method}`, message, { admin })
  return { id, admin, call }
}
