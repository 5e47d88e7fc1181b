import { createPeopleMapper } from './map-people.ts'
import { createResourceMapper } from './map-resources.ts'
import type { Mapping } from './mapping.ts'
import { mapped, type Outcome, summarize, unmapped } from './outcome.ts'
import type { Plan } from './plan.ts'
import type { Problem, Tuple } from './tuple.ts'
import { createWorkspaceNames } from './workspace-names.ts'

/** Plans what tuples become. `now` decides which of them have expired. */
export function mapTuples(tuples: Tuple[], mapping: Mapping, now: Date): Plan {
  const workspaceNames = createWorkspaceNames(mapping)
  const people = createPeopleMapper(mapping, workspaceNames)
  const resources = createResourceMapper(mapping, workspaceNames, people)

  const mapRest = (tuple: Tuple): Outcome => {
    const { type } = tuple.object
    if (mapping.workspaces.has(type)) return people.mapWorkspaceRole(tuple)
    if (mapping.groups.has(type)) return people.mapGroupMember(tuple)
    if (mapping.resources.has(type)) return resources.mapOwnerOrShare(tuple)
    return unmapped(`the mapping does not name the type ${type}`)
  }

  // The workspaces and parents first: what the other tuples become depends on them.
  const outcomes = new Map<Tuple, Outcome>()
  for (const tuple of tuples) {
    const outcome = hasExpired(tuple, now)
      ? mapped('nothing, because it has expired')
      : (people.mapGroupWorkspace(tuple) ?? resources.mapPlace(tuple))
    if (outcome) outcomes.set(tuple, outcome)
  }
  for (const tuple of tuples) if (!outcomes.has(tuple)) outcomes.set(tuple, mapRest(tuple))

  const { problems, orphans: orphanedGroups, ...members } = people.finish()
  const items = resources.finish()
  return {
    ...members,
    ...items,
    summary: summarize([...outcomes]),
    orphans: byLine([...orphanedGroups, ...items.orphans]),
    problems: byLine([...workspaceNames.findProblems(), ...problems]),
  }
}

function byLine(problems: Problem[]): Problem[] {
  return problems.toSorted((a, b) => a.place.line - b.place.line)
}

function hasExpired({ expiresAt }: Tuple, now: Date): boolean {
  return expiresAt !== undefined && new Date(expiresAt) <= now
}
