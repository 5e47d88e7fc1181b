import { randomBytes } from 'node:crypto'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { newId } from '../core/new-id.ts'
import type { MemberStore } from './store/member-store.ts'
import type { WorkspaceStore } from './store/workspace-store.ts'

export type PersonalStores = {
  activity: ActivityStore
  members: MemberStore
  workspaces: WorkspaceStore
}

/**
 * Creates a workspace that the user owns, unless the user has already joined a workspace. Pending
 * invitations do not count, because the user has not accepted them. The caller must hold a lock on
 * the user's row, so that concurrent sign-ins create only one workspace.
 */
export async function createPersonalWorkspace(
  tx: PersonalStores,
  user: { id: string; email: string; name: string },
  now: Date,
): Promise<void> {
  if (await tx.members.hasJoinedAny(user.id)) return
  const id = newId()
  const slug = personalSlug(user.email)
  await tx.workspaces.insert({ id, name: personalName(user), slug })
  await tx.members.add({ workspaceId: id, userId: user.id }, 'owner', now)
  await tx.activity.record(
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
