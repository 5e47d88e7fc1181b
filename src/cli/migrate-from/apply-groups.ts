import { ServiceError } from '../../core/errors.ts'
import { addChildGroup } from '../../workspaces/child-groups.ts'
import { createGroup } from '../../workspaces/groups.ts'
import { requireValid } from '../require-valid.ts'
import type { OperatorContext } from '../session.ts'
import { requireNoProblems } from './place-naming.ts'
import type { Group } from './plan.ts'
import type { Place } from './tuple.ts'

/** Creates the groups that do not exist, and puts groups into groups. */
export async function applyGroups(
  context: OperatorContext,
  groups: Group[],
  path: string,
): Promise<void> {
  const ids = await findGroups(context, groups, path)
  for (const { place, name, workspaceId, key } of ids.missing) {
    const group = await atPlace(path, place, () =>
      createGroup(context, requireValid('createGroup', { workspace_id: workspaceId, name })),
    )
    ids.found.set(key, group.id)
  }
  for (const { workspace, name, children } of groups) {
    for (const child of children) {
      const group_id = ids.found.get(keyOf(workspace, name)) ?? ''
      const child_id = ids.found.get(keyOf(workspace, child.name)) ?? ''
      await atPlace(path, child.place, () => addChildGroup(context, { group_id, child_id }))
    }
  }
}

type MissingGroup = Group & { workspaceId: string; key: string }

async function findGroups(
  { stores }: OperatorContext,
  groups: Group[],
  path: string,
): Promise<{ found: Map<string, string>; missing: MissingGroup[] }> {
  const slugs = new Set(groups.map(({ workspace }) => workspace))
  const workspaces = await stores.workspaces.findBySlugs([...slugs])
  const workspaceIds = new Map(workspaces.map(({ id, slug }) => [slug, id]))
  const placed = groups.flatMap((group) => {
    const workspaceId = workspaceIds.get(group.workspace)
    return workspaceId ? { ...group, workspaceId, key: keyOf(group.workspace, group.name) } : []
  })
  const unplaced = groups.filter(({ workspace }) => !workspaceIds.has(workspace))
  requireNoProblems(
    path,
    unplaced.map(({ place, workspace }) => ({
      place,
      message: `the workspace ${workspace} does not exist`,
    })),
  )
  const found = new Map<string, string>()
  const missing: MissingGroup[] = []
  const ids = await stores.principals.findGroups(placed)
  for (const [index, group] of placed.entries()) {
    const id = ids[index]
    if (id) found.set(group.key, id)
    else missing.push(group)
  }
  return { found, missing }
}

/** Names the place in the error of a call. */
async function atPlace<Result>(
  path: string,
  place: Place,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ServiceError) requireNoProblems(path, [{ place, message: error.message }])
    throw error
  }
}

function keyOf(workspace: string, name: string): string {
  return `${workspace} ${name}`
}
