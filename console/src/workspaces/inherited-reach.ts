/** A resource of a list, as far as what reaches it depends on it. */
export type ListedResource = {
  id: string
  service_name: string
  resource_type: string
  resource_id: string
  inherits: boolean
  parent?: { resource_type: string; resource_id: string } | null | undefined
}

/** Returns the IDs of the resources that a person sees, and of those that inherit from them. */
export function addInheriting(
  resources: readonly ListedResource[],
  seen: ReadonlySet<string>,
): Set<string> {
  const children = new Map<string, ListedResource[]>()
  for (const one of resources) {
    if (!one.inherits || !one.parent) continue
    const parent = keyOf({ ...one, ...one.parent })
    children.set(parent, [...(children.get(parent) ?? []), one])
  }
  const reached = new Set(seen)
  const open = resources.filter(({ id }) => seen.has(id))
  for (let next = open.pop(); next; next = open.pop()) {
    for (const child of children.get(keyOf(next)) ?? []) {
      if (reached.has(child.id)) continue
      reached.add(child.id)
      open.push(child)
    }
  }
  return reached
}

function keyOf({
  service_name,
  resource_type,
  resource_id,
}: Pick<ListedResource, 'service_name' | 'resource_type' | 'resource_id'>): string {
  return [service_name, resource_type, resource_id].join('\n')
}
