import pg from 'pg'
import type { PermissionCheck } from '../gen/daikon/v1/permissions.ts'
import { idOf, kind } from './data-set.ts'
import { groupedMemberOf, largeWorkspaceOf, type Size } from './data-set-size.ts'
import {
  createPicker,
  findVisibleResources,
  type Pick,
  type VisibleResources,
} from './shared-resources.ts'

/**
 * The checks of one user. `mustAllow[index]` is true if a share guarantees that the check is
 * allowed.
 */
export type CheckBatch = {
  user: number
  workspace: number
  checks: PermissionCheck[]
  /** What the caller sends for conditions. */
  context?: object
  mustAllow: boolean[]
}

/**
 * Creates `count` batches of `items` checks, each for a different user. Every other check is about
 * a resource that is shared with the user or one of their groups.
 */
export async function createCheckBatches(
  { url, size }: { url: string; size: Size },
  items: number,
  count: number,
): Promise<CheckBatch[]> {
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  try {
    const pick = createPicker(items)
    const batches: CheckBatch[] = []
    for (let n = 0; n < count; n += 1) {
      const user = pick(size.users)
      const reach = await findVisibleResources(database, user, size, pick)
      const checks = pickChecks(reach, pick, items, n)
      batches.push({
        user,
        workspace: user % size.workspaces,
        checks: checks.map(({ resource_id, action }) => ({ ...kind, resource_id, action })),
        mustAllow: checks.map(({ mustAllow }) => mustAllow),
      })
    }
    return batches
  } finally {
    await database.end()
  }
}

/** Creates a check of one member and one resource of the large workspace. */
export function createLargeWorkspaceCheck(
  size: Size,
  member: number,
  resource: number,
): CheckBatch {
  const { firstUser, firstResource, workspace } = largeWorkspaceOf(size)
  const resource_id = idOf('r', firstResource + resource)
  const checks = [{ ...kind, resource_id, action: 'view' }]
  return { user: firstUser + member, workspace, checks, mustAllow: [false] }
}

/** Creates a batch of identical checks of the member of many groups. */
export function createGroupedCheck(size: Size, items: number): CheckBatch {
  const { user, workspace, resource } = groupedMemberOf(size)
  const resource_id = idOf('r', resource)
  return {
    user,
    workspace,
    checks: Array.from({ length: items }, () => ({ ...kind, resource_id, action: 'view' })),
    mustAllow: Array.from({ length: items }, () => true),
  }
}

function pickChecks(
  { shared, pickResource }: VisibleResources,
  pick: Pick,
  items: number,
  n: number,
) {
  return Array.from({ length: items }, (_, index) => {
    const action = pick(2) ? 'view' : 'edit'
    const share = index % 2 === n % 2 ? shared[pick(shared.length)] : undefined
    if (!share) return { action, resource_id: pickResource(), mustAllow: false }
    const mustAllow = action === 'view' || share.permission === 'edit'
    return { action, resource_id: share.resource_id, mustAllow }
  })
}
