import {
  type Child,
  firstId,
  type Kind,
  maxKeys,
  type ResourceKey,
  type ResourceStateStore,
} from '../store/resource-state-store.ts'

/** A page of resources to send, and whether it is the last one. */
export type WalkPage = { keys: ResourceKey[]; isLast: boolean }

/** Reads many resources in pages, so that other changes need not wait for all of them. */
export type Walk = {
  /** Names what is walked through. */
  readonly name: string
  /** Whether a page has been read, so that a newer change needs another walk. */
  readonly hasBegun: boolean
  read(): Promise<WalkPage>
}

/** Whether resources of a kind are followed. Of others, only parents are. */
export type IsAsked = (resourceType: string) => boolean

/** The maximum number of parents whose children a statement reads. */
const maxParents = 64

/** Parents of the same level. The children of the first one begin after `after`. */
type Level = { ids: string[]; after: ResourceKey }

const firstKey: ResourceKey = { kindId: 0, resourceId: firstId }

/** Creates the walk through everything below a resource, the deepest parents first. */
export function createTreeWalk(store: ResourceStateStore, rootId: string): Walk {
  const levels: Level[] = [{ ids: [rootId], after: firstKey }]
  let wasFull = false
  let hasBegun = false
  return {
    name: `tree ${rootId}`,
    get hasBegun() {
      return hasBegun
    },
    async read() {
      hasBegun = true
      const level = levels.at(-1)
      if (!level) return { keys: [], isLast: true }
      // Children of a large parent are read alone, so that no statement reads more than it returns.
      const parents = level.ids.slice(0, wasFull ? 1 : maxParents)
      const children = await store.readChildren(parents, level.after)
      wasFull = children.length === maxKeys
      advance(level, parents, children, wasFull)
      if (level.ids.length === 0) levels.splice(levels.indexOf(level), 1)
      const below = children.filter(({ isParent }) => isParent).map(({ id }) => id)
      if (below.length > 0) levels.push({ ids: below, after: firstKey })
      return { keys: children, isLast: levels.length === 0 }
    },
  }
}

/** Removes parents whose children have been read from a level. */
function advance(level: Level, parents: string[], children: Child[], isFull: boolean): void {
  const last = children.at(-1)
  if (!isFull || !last) {
    level.ids.splice(0, parents.length)
    level.after = firstKey
    return
  }
  const position = parents.indexOf(last.parentId)
  level.ids.splice(0, position)
  level.after = last
}

/** The walk through the resources of a service in order. `place` is the last resource that was read. */
export type KindWalk = Walk & { place(): ResourceKey }

/** The resources of one workspace, those after a place, or all. */
export type KindWalkPart = { workspaceId?: string; after?: ResourceKey }

/** Creates the walk through the resources of a service in order. */
export function createKindWalk(
  store: ResourceStateStore,
  kinds: Kind[],
  isAsked: IsAsked,
  { workspaceId, after }: KindWalkPart = {},
): KindWalk {
  const remaining = kinds.filter(({ id }) => after === undefined || id >= after.kindId)
  let place = after ?? firstKey
  let hasBegun = false
  return {
    name: `workspace ${workspaceId}`,
    get hasBegun() {
      return hasBegun
    },
    place: () => place,
    async read() {
      hasBegun = true
      const [kind] = remaining
      if (!kind) return { keys: [], isLast: true }
      const begin = kind.id === place.kindId ? place.resourceId : firstId
      const { ids, last } = await store.readIds(kind.id, begin, {
        workspaceId,
        isAsked: isAsked(kind.resourceType),
      })
      if (last === undefined) remaining.shift()
      const next = remaining[0]?.id ?? kind.id
      place =
        last === undefined
          ? { kindId: next, resourceId: firstId }
          : { kindId: kind.id, resourceId: last }
      const keys = ids.map((resourceId) => ({ kindId: kind.id, resourceId }))
      return { keys, isLast: remaining.length === 0 }
    },
  }
}
