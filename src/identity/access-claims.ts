import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Claims } from './claims.ts'

/** A member, by ids or by what people call them. */
export type MemberKey = { userId: string; workspaceId: string } | { email: string; slug: string }

/** What an access token says of an active member as of now; undefined for anybody else. */
export async function loadAccessClaims(
  em: EntityManager,
  key: MemberKey,
): Promise<Claims['access'] | undefined> {
  const [where, values] =
    'userId' in key
      ? ['u.id = ? and w.id = ?', [key.userId, key.workspaceId]]
      : ['u.email = ? and w.slug = ?', [key.email, key.slug]]
  const [subject] = await em.execute<Omit<Claims['access'], 'jti'>[]>(
    `select u.id as sub, u.email, u.name, w.id as wid, w.slug as wslug, m.role as wrole,
       array(select g.group_id::text from group_members g
         where g.user_id = u.id and g.workspace_id = w.id order by 1) as groups
     from members m join users u on u.id = m.user_id join workspaces w on w.id = m.workspace_id
     where u.is_active and ${where}`,
    values,
  )
  return subject && { ...subject, jti: randomUUID() }
}
