/**
 * A change of facts. An item is a resource, a user or an access token. Without an item, everything in the
 * workspace changed; without a workspace, the item in every workspace; without both, everything.
 */
export type Change = [workspaceId: string | null, itemId: string | null]

/** What a cached value depends on. */
export type Dependencies = { workspaceId: string | undefined; itemIds: (string | undefined)[] }

/** Remembers when what changed last, by a version that each batch of changes increments. */
export type ChangeVersions = {
  current(): number
  apply(changes: Change[]): void
  /** Everything may have changed. */
  applyAll(): void
  /** Whether nothing that a value depends on has changed after `version`. */
  isUnchanged(version: number, dependencies: Dependencies): boolean
  /** Whether, in addition, nothing else in the workspace has changed after `version`. */
  isWorkspaceUnchanged(version: number, dependencies: Dependencies): boolean
}

/** Above `maxEntries` changed workspaces or items, everything counts as changed. */
export function createChangeVersions(maxEntries = 20_000): ChangeVersions {
  let version = 0
  let lastOfAll = 0
  /** The last change of each workspace as a whole, of anything in it, and of each item. */
  const wholes = new Map<string, number>()
  const workspaces = new Map<string, number>()
  const items = new Map<string, number>()

  function applyAll() {
    version += 1
    lastOfAll = version
    for (const map of [wholes, workspaces, items]) map.clear()
  }

  function isUnchanged(since: number, { workspaceId, itemIds }: Dependencies): boolean {
    if (since === version) return true
    if (lastOfAll > since || !isUnchangedIn(wholes, workspaceId, since)) return false
    return itemIds.every((itemId) => isUnchangedIn(items, itemId, since))
  }

  const isUnchangedIn = (map: Map<string, number>, id: string | undefined, since: number) =>
    id === undefined || (map.get(id) ?? 0) <= since

  return {
    current: () => version,
    applyAll,
    apply(changes) {
      if (changes.length === 0) return
      version += 1
      for (const [workspaceId, itemId] of changes) {
        if (workspaceId === null && itemId === null) return applyAll()
        if (workspaceId !== null) workspaces.set(workspaceId, version)
        if (itemId !== null) items.set(itemId, version)
        else if (workspaceId !== null) wholes.set(workspaceId, version)
      }
      if (Math.max(workspaces.size, items.size) > maxEntries) applyAll()
    },
    isUnchanged,
    isWorkspaceUnchanged: (since, dependencies) =>
      isUnchanged(since, dependencies) &&
      isUnchangedIn(workspaces, dependencies.workspaceId, since),
  }
}
