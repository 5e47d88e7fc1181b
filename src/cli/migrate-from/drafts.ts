import type { Mapping, ResourceMapping } from './mapping.ts'
import type { Draft } from './resource-draft.ts'
import { nameOf, type ObjectName, type Tuple } from './tuple.ts'

/** The drafts of resources, by their names. */
export type Drafts = {
  find(name: ObjectName): Draft | undefined
  /** Returns a draft without adding it. The type must be in the mapping. */
  create(tuple: Tuple): Draft
  /** Returns the draft of the resource of a tuple, and adds it if there is none. */
  require(tuple: Tuple): Draft
  /** Returns the workspace of a resource: its own, that of its type, or that of an ancestor. */
  findSlug(resource: Draft): string | undefined
  all(): Iterable<Draft>
}

export function createDrafts(mapping: Mapping): Drafts {
  const drafts = new Map<string, Draft>()

  const find: Drafts['find'] = (name) => drafts.get(nameOf(name))

  const create: Drafts['create'] = ({ object, place }) => ({
    name: object,
    mapping: mapping.resources.get(object.type) as ResourceMapping,
    place,
    shares: new Map(),
  })

  return {
    find,
    create,
    require(tuple) {
      const draft = find(tuple.object) ?? create(tuple)
      drafts.set(nameOf(tuple.object), draft)
      return draft
    },
    findSlug(resource) {
      const seen = new Set<Draft>()
      let draft: Draft | undefined = resource
      while (draft && !seen.has(draft)) {
        seen.add(draft)
        const slug = draft.workspace?.slug ?? draft.mapping.workspace_slug
        if (slug !== undefined) return slug
        draft = draft.parent && find(draft.parent.name)
      }
      return undefined
    },
    all: () => drafts.values(),
  }
}
