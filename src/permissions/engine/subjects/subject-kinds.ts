import { delegation } from './delegation.ts'
import { group } from './group.ts'
import { link } from './link.ts'
import type { SubjectId, SubjectKind } from './subject-kind.ts'
import { user } from './user.ts'

/** Every kind of subject. */
export const subjectKinds = { user, group, link, delegation } satisfies Record<string, SubjectKind>

export type SubjectKindName = keyof typeof subjectKinds

export const subjectKindNames = Object.keys(subjectKinds) as SubjectKindName[]

const otherNames = subjectKindNames.filter((name) => name !== 'user')

/**
 * Returns the kind of a subject: a user unless it has the ID of another kind. The token of a delegation
 * also names the user.
 */
export function kindOf(subject: SubjectId | undefined): SubjectKindName {
  if (!subject) return 'user'
  if (subject.delegationId !== undefined) return 'delegation'
  if (subject.userId !== undefined) return 'user'
  return otherNames.find((name) => subject[subjectKinds[name].idMember] !== undefined) ?? 'user'
}

/** Returns the kind of a subject, apart from those who are nobody in particular. */
export function typeOf(
  subject: (SubjectId & { isAnonymous?: boolean }) | undefined,
): SubjectKindName | 'anonymous' {
  return subject?.isAnonymous ? 'anonymous' : kindOf(subject)
}

/** Returns the ID of a subject, undefined if it is named otherwise. */
export function idOf(subject: SubjectId): string | undefined {
  return subject[subjectKinds[kindOf(subject)].idMember]
}

/** Creates something for each kind, such as the text of a statement. */
export function ofEachKind<Value>(
  create: (name: SubjectKindName, kind: SubjectKind) => Value,
): Record<SubjectKindName, Value> {
  const entries = subjectKindNames.map((name) => [name, create(name, subjectKinds[name])])
  return Object.fromEntries(entries)
}

/** Returns the name of a prepared statement for a kind. */
export function statementName(name: string, kind: SubjectKindName): string {
  return kind === 'user' ? name : `${name} of ${kind}s`
}
