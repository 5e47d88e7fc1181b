import fc from 'fast-check'
import type { World, WorldResource } from './hierarchy-world.ts'
import { findReached } from './world-decisions.ts'

/** A delegation as an independent decision reads it. */
export type WorldDelegation = {
  userId: string
  workspaceId: string
  serviceName: string
  actions: string[] | null
  resourceTypes: string[] | null
  /** The `permission_id` of resources. */
  resources: string[] | null
  isLive: boolean
}

/** A question whether a delegation covers an action. The resource is one of the world. */
type CoverageQuestion = {
  world: Pick<World, 'resources'>
  workspaceId: string
  serviceName: string
  resource: WorldResource
  action: string
}

/**
 * Random terms of a delegation. Users and resources are identified by index; at least one of the three
 * lists is present.
 */
export const anyTerms = fc
  .record({
    user: fc.nat(2),
    /** The workspace and service of the resources, or others. */
    isElsewhere: fc.constantFrom(false, false, false, false, true),
    isOfOtherService: fc.constantFrom(false, false, false, false, false, true),
    isEnded: fc.constantFrom(false, false, false, false, true),
    isExpired: fc.constantFrom(false, false, false, false, true),
    actions: fc.option(
      fc.uniqueArray(fc.constantFrom('view', 'edit', 'manage', 'publish', 'unheard-of'), {
        minLength: 1,
      }),
    ),
    resourceTypes: fc.option(
      fc.uniqueArray(fc.constantFrom('document', 'folder', 'workspace'), { minLength: 1 }),
    ),
    resources: fc.option(fc.uniqueArray(fc.nat(6), { maxLength: 3 })),
  })
  .filter(({ actions, resourceTypes, resources }) => Boolean(actions ?? resourceTypes ?? resources))

export type Terms = typeof anyTerms extends fc.Arbitrary<infer Value> ? Value : never

/** Decides whether a delegation covers an action on a resource, by following the hierarchy. */
export function coversNaively(
  { isLive, ...delegation }: WorldDelegation,
  { world, workspaceId, serviceName, resource, action }: CoverageQuestion,
): boolean {
  if (!isLive) return false
  if (delegation.workspaceId !== workspaceId || delegation.serviceName !== serviceName) return false
  const { actions, resourceTypes, resources } = delegation
  if (!(actions ? actions.includes(action) : action !== 'manage')) return false
  if (resourceTypes && !resourceTypes.includes(resource.type ?? '')) return false
  return !resources || findReached(world, resource).some(({ id }) => resources.includes(id))
}
