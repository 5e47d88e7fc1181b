import pg from 'pg'
import type { PermissionCheck } from '../gen/daikon/v1/permissions.ts'
import { crowdOf } from './crowd.ts'
import { idOf, kind, type Size } from './data-set.ts'
import { createPicker, type Pick, type Reach, reachOf } from './reach.ts'

/** What the nth user asks; `must[at]`: a share says that the check has to be allowed. */
export type Question = {
  user: number
  workspace: number
  checks: PermissionCheck[]
  must: boolean[]
}

/**
 * `count` questions of `items` checks, each by another user, every other check about something
 * shared with the user or a group of theirs.
 */
export async function askAround(
  { url, size }: { url: string; size: Size },
  items: number,
  count: number,
): Promise<Question[]> {
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  try {
    const pick = createPicker(items)
    const questions: Question[] = []
    for (let n = 0; n < count; n += 1) {
      const user = pick(size.users)
      const reach = await reachOf(database, user, size, pick)
      const asked = askFor(reach, pick, items, n)
      questions.push({
        user,
        workspace: user % size.workspaces,
        checks: asked.map(({ resource_id, action }) => ({ ...kind, resource_id, action })),
        must: asked.map(({ must }) => must),
      })
    }
    return questions
  } finally {
    await database.end()
  }
}

/** The nth member of the crowd asks about its nth resource. */
export function askInCrowd(size: Size, member: number, resource: number): Question {
  const { firstUser, firstResource, workspace } = crowdOf(size)
  const resource_id = idOf('r', firstResource + resource)
  const checks = [{ ...kind, resource_id, action: 'view' }]
  return { user: firstUser + member, workspace, checks, must: [false] }
}

function askFor({ shared, any }: Reach, pick: Pick, items: number, n: number) {
  return Array.from({ length: items }, (_, at) => {
    const action = pick(2) ? 'view' : 'edit'
    const share = at % 2 === n % 2 ? shared[pick(shared.length)] : undefined
    if (!share) return { action, resource_id: any(), must: false }
    const must = action === 'view' || share.permission === 'edit'
    return { action, resource_id: share.resource_id, must }
  })
}
