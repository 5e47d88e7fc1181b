import type { PrincipalStatus } from '../../../core/caller.ts'
import type { FactsQuery, Load } from '../facts.ts'
import type { Check, SubjectCheck } from '../question.ts'
import { kindOf, type SubjectKindName, subjectKindNames } from './subject-kinds.ts'

/** Loads the results of checks about workspaces; undefined if a check is about a resource. */
export type LoadOfWorkspaces<Any extends Check, Result> = (
  checks: (Any & { workspace: string })[],
) => Promise<(Result | undefined)[]>

/**
 * Loads results for checks, in the order of the checks: those about workspaces first, and the others
 * by the kinds of their subjects, at the same time. `load` is called for every kind. `callerKind` is the
 * kind of checks without a subject.
 */
export async function loadByKind<Any extends Check, Result>(
  checks: Any[],
  load: (kind: SubjectKindName, checks: Any[]) => Promise<Result[]>,
  loadOfWorkspaces: LoadOfWorkspaces<Any, Result> = async () => [],
  callerKind: SubjectKindName = 'user',
): Promise<Result[]> {
  const found = (await loadOfWorkspaces(checks.filter(isOfWorkspace))).values()
  const ofWorkspaces = checks.map((check) =>
    isOfWorkspace(check) ? found.next().value : undefined,
  )
  const others = checks.filter((_, index) => ofWorkspaces[index] === undefined)
  const kindOfCheck = ({ subject }: Any) => (subject ? kindOf(subject) : callerKind)
  const loaded = (await loadGrouped(others, subjectKindNames, kindOfCheck, load)).values()
  return ofWorkspaces.map((result) => result ?? (loaded.next().value as Result))
}

/** Loads results for the items of each group at the same time. Returns them in the order of the items. */
export async function loadGrouped<Item, Key, Result>(
  items: Item[],
  keys: Key[],
  keyOf: (item: Item) => Key,
  load: (key: Key, items: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const keysOfItems = items.map(keyOf)
  const groups = await Promise.all(
    keys.map(async (key) => {
      const own = items.filter((_, index) => keysOfItems[index] === key)
      return [key, (await load(key, own)).values()] as const
    }),
  )
  const results = new Map(groups)
  return keysOfItems.map((key) => results.get(key)?.next().value as Result)
}

/**
 * Joins the loaders of all kinds of subjects. The status of the caller comes with the facts of its kind,
 * from the same snapshot.
 */
export function joinKinds<Fact>(
  loads: Record<SubjectKindName, Load<Fact>>,
  loadOfWorkspaces: LoadOfWorkspaces<SubjectCheck, Fact> = async () => [],
): Load<Fact> {
  return async (query, scope) => {
    const callerKind = kindOf(query)
    if (query.checks.every((check) => isPlain(check, callerKind)))
      return loads[callerKind](query, scope)
    const { checks, ...caller } = query
    const ofCaller: { status?: PrincipalStatus } = {}
    const load = async (kind: SubjectKindName, checks: FactsQuery['checks']) => {
      if (kind !== callerKind)
        return checks.length === 0 ? [] : (await loads[kind]({ checks }, scope)).facts
      const loaded = await loads[kind]({ ...caller, checks }, scope)
      ofCaller.status = loaded.status
      return loaded.facts
    }
    const facts = await loadByKind(
      checks,
      load,
      (ofWorkspaces) =>
        loadOfWorkspaces(ofWorkspaces.map((one) => ({ ...one, subject: one.subject ?? caller }))),
      callerKind,
    )
    return { status: ofCaller.status as PrincipalStatus, facts }
  }
}

/** Whether a check is about a resource, and its subject is of the kind of the caller. */
function isPlain({ subject, workspace }: Check, callerKind: SubjectKindName): boolean {
  return workspace === undefined && (subject === undefined || kindOf(subject) === callerKind)
}

function isOfWorkspace<Any extends Check>(check: Any): check is Any & { workspace: string } {
  return check.workspace !== undefined
}
