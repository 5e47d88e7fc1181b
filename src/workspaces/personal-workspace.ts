import { randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import { recordActivity } from '../activity/record-activity.ts'
import { Member, Workspace } from '../database/entities/people.ts'

/**
 * Creates a workspace that the user owns, unless the user is already a member of a workspace. The
 * caller must hold a lock on the user's row, so that concurrent sign-ins create only one workspace.
 */
export async function createPersonalWorkspace(
  em: EntityManager,
  user: { id: string; email: string; name: string },
  now: Date,
): Promise<void> {
  if (await em.count(Member, { user_id: user.id })) return
  const id = uuid()
  const slug = personalSlug(user.email)
  await em.insert(Workspace, { id, name: personalName(user), slug })
  await em.insert(Member, { workspace_id: id, user_id: user.id, role: 'owner', joined_at: now })
  await recordActivity(
    em,
    { actorId: user.id },
    { action: 'workspace.created', targetId: id, workspaceId: id, detail: { slug } },
  )
}

function personalName({ name, email }: { name: string; email: string }): string {
  return `${name || email.split('@')[0]}’s workspace`.slice(0, 200)
}

/**
 * Derives a slug from the local part of the address, and makes it unique with six random
 * characters.
 */
function personalSlug(email: string): string {
  const local = (email.split('@')[0] ?? '').replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return `${local.slice(0, 50) || 'personal'}-${randomBytes(3).toString('hex')}`
}
