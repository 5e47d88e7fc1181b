import { grantSteps, isGrantRule } from './grant-steps.ts'
import type { AccessReason } from './resource-queries.ts'
import { nameResource } from './resource-queries.ts'

/** A step on the way from a person to a resource. A step with an ID is named by what has the ID. */
export type Step =
  | { kind: 'group' | 'workspace'; id: string }
  | { kind: 'grant' | 'resource' | 'omitted'; text: string }

/** The largest number of paths in a picture. */
export const maxPaths = 6

/** The largest number of groups in a path. Of longer paths, the groups in the middle are omitted. */
const maxGroups = 5

/** Returns the steps between the person and the resource for a reason that allows an action. */
export function findPath(reason: AccessReason, workspaceId: string): Step[] {
  const { group_id: groupId, via, inherited_from: ancestor, rule } = reason
  const steps: Step[] = []
  if (groupId) steps.push(...shorten([...via].reverse().concat(groupId)))
  const grant = isGrantRule(rule) ? grantSteps[rule] : undefined
  if (grant?.isOfWorkspace) steps.push({ kind: 'workspace', id: workspaceId })
  steps.push({ kind: 'grant', text: grant?.describe(reason) ?? rule })
  if (ancestor) steps.push({ kind: 'resource', text: nameResource(ancestor) })
  return steps
}

/** Returns the groups, from the one that contains the person to the one with the grant. */
function shorten(groups: string[]): Step[] {
  const steps = groups.map((id): Step => ({ kind: 'group', id }))
  if (steps.length <= maxGroups) return steps
  const omitted = steps.length - maxGroups + 1
  const text = `… ${omitted} groups …`
  return [...steps.slice(0, 2), { kind: 'omitted', text }, ...steps.slice(2 + omitted)]
}
