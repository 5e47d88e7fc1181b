import type { OnProgress } from '../../core/on-progress.ts'
import { registerRecords } from '../import-resources.ts'
import { grantRecords } from '../import-shares.ts'
import type { OperatorContext } from '../session.ts'
import { applyGroups } from './apply-groups.ts'
import { applyMembers } from './apply-members.ts'
import { findOrphans } from './find-orphans.ts'
import { leaveOut } from './orphans.ts'
import { createPlaceNaming } from './place-naming.ts'
import type { Plan } from './plan.ts'

/** `orphans` counts resources whose parents are neither in the export nor registered. */
export type Applied = { registered: number; unchanged: number; granted: number; orphans: number }

/**
 * Applies a plan in one transaction: members, groups, resources and shares, through the code of their
 * imports. `path` is the name of the export in errors. With `skipOrphans`, leaves out resources whose
 * parents do not exist; otherwise, they are errors.
 *
 * @throws ServiceError with the places of what is wrong; nothing is changed
 */
export function applyPlan(
  operator: OperatorContext,
  { members, groups, ...items }: Plan,
  { path, skipOrphans }: { path: string; skipOrphans: boolean },
  onProgress: OnProgress,
): Promise<Applied> {
  return operator.stores.transaction(async (stores) => {
    const context = { ...operator, stores }
    await applyMembers(context, members, path, onProgress)
    await applyGroups(context, groups, path)
    const missing = skipOrphans ? await findOrphans(context, items.resources) : new Map()
    const { resources, shares, orphans } = leaveOut(items, missing)
    const result = { registered: 0, unchanged: 0, orphans: orphans.length }
    const resourceNaming = createPlaceNaming(path, resources)
    const registrations = { records: resources, naming: resourceNaming }
    await registerRecords(context, registrations, onProgress, result)
    const grants = { records: shares, naming: createPlaceNaming(path, shares) }
    return { ...result, granted: await grantRecords(context, grants, onProgress) }
  })
}
