import { randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import { recordActivity } from '../activity/record-activity.ts'
import { Member, Workspace } from '../database/entities/people.ts'

/**
 * Gives a user without any membership a workspace of their own, as owner. The principal holds the
 * user's row, so that two sign-ins at once make one workspace.
 */
export async function createPersonalWorkspace(
  em: EntityManager,
  user: { id: string; email: string; name: string },
  now: Date,
): Promise<void> {
  if (await em.count(Member, { user_id: user.id })) return
  const workspace = { id: uuid(), name: personalName(user), slug: personalSlug(user.email) }
  await em.insert(Workspace, workspace)
  const place = { workspace_id: workspace.id, user_id: user.id, joined_at: now }
  await em.insert(Member, { ...place, role: 'owner' })
  const { id, slug } = workspace
  const entry = { action: 'workspace.created', detail: { slug } } as const
  await recordActivity(em, { actorId: user.id }, { ...entry, targetId: id, workspaceId: id })
}

function personalName({ name, email }: { name: string; email: string }): string {
  return `${name || email.split('@')[0]}’s workspace`.slice(0, 200)
}

/** The address's local part as a slug, told apart by six random characters. */
function personalSlug(email: string): string {
  const local = (email.split('@')[0] ?? '').replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return `${local.slice(0, 50) || 'personal'}-${randomBytes(3).toString('hex')}`
}
