import type { Mapping } from './mapping.ts'
import type { ObjectName, Place, Problem } from './tuple.ts'

/** The slugs of the objects that are workspaces. */
export type WorkspaceNames = {
  slugOf(name: ObjectName, place: Place): string
  /** Returns the objects that would become one workspace, whose members would see each other's resources. */
  findProblems(): Problem[]
}

export function createWorkspaceNames({ workspaces }: Pick<Mapping, 'workspaces'>): WorkspaceNames {
  const names = new Map<string, string>()
  const problems = new Map<string, Problem>()
  return {
    slugOf({ type, id }, place) {
      const slug = workspaces.get(type)?.slugs.get(id) ?? id
      const name = `${type}:${id}`
      const first = names.get(slug) ?? name
      names.set(slug, first)
      const message = `${name} is the same workspace as ${first}: ${slug}`
      if (first !== name && !problems.has(name)) problems.set(name, { place, message })
      return slug
    },
    findProblems: () => [...problems.values()],
  }
}
