import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { User } from '../database/entities/people.ts'

/**
 * The id of whoever has this address, made now if nobody has; of two callers at once one makes the
 * user. The id holds no time: it must not tell whether somebody has been known before.
 */
export async function ensureUser(em: EntityManager, email: string): Promise<string> {
  await em.execute('insert into users (id, email) values (?, ?) on conflict (email) do nothing', [
    randomUUID(),
    email,
  ])
  return (await em.findOneOrFail(User, { email })).id
}
