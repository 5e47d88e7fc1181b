/**
 * A change to facts. An item is a resource, a user, a delegation or an access token.
 *
 * | Workspace | Item | What changed |
 * | --- | --- | --- |
 * | ID | ID | the item in this workspace |
 * | ID | null | everything in this workspace |
 * | null | ID | the item in every workspace |
 * | null | null | everything |
 */
export type Change = [workspaceId: string | null, itemId: string | null]

/**
 * The workspace and items that a remembered value depends on. With `any`, it depends on changes to
 * any workspace as a whole.
 */
export type Dependencies = {
  workspaceId: string | 'any' | undefined
  itemIds: (string | undefined)[]
}

/**
 * Records the version at which each workspace and item last changed. Each batch of changes
 * increments the version.
 */
export type ChangeVersions = {
  current(): number
  apply(changes: Change[]): void
  /** Marks everything as changed. */
  applyAll(): void
  /** Whether none of the dependencies have changed since `version`. */
  isUnchanged(version: number, dependencies: Dependencies): boolean
  /** Whether, in addition, nothing else in the workspace has changed since `version`. */
  isWorkspaceUnchanged(version: number, dependencies: Dependencies): boolean
}

/**
 * Creates the versions. To limit memory, everything counts as changed once more than `maxEntries`
 * workspaces or items are recorded.
 */
export function createChangeVersions(maxEntries = 20_000): ChangeVersions {
  let version = 0
  let lastOfAll = 0
  let lastWhole = 0
  /**
   * The last change to each workspace as a whole, to anything in each workspace, and to each item.
   */
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
    if (lastOfAll > since) return false
    if (workspaceId === 'any' ? lastWhole > since : !isUnchangedIn(wholes, workspaceId, since))
      return false
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
        else if (workspaceId !== null) {
          wholes.set(workspaceId, version)
          lastWhole = version
        }
      }
      if (Math.max(workspaces.size, items.size) > maxEntries) applyAll()
    },
    isUnchanged,
    isWorkspaceUnchanged: (since, dependencies) =>
      isUnchanged(since, dependencies) &&
      isUnchangedIn(workspaces, dependencies.workspaceId, since),
  }
}
