import type { AccessSubject } from '../../../gen/daikon/v1/access.ts'
import type { ServicePrincipal } from '../../core/request-context.ts'
import type { NoteDelegationUse } from '../../identity/note-delegation-use.ts'
import { wrongAudience } from '../../identity/user-errors.ts'
import {
  findSubjectType,
  type NamedSubject,
  otherAudience,
  type SubjectNames,
} from './subject-table.ts'

/** The fields that identify a subject. */
export type SubjectId = Pick<AccessSubject, 'type' | 'id'>

/** What the context of a response says about a subject whose access token is not valid. */
export type SubjectContext = { subject_error: { reason: string; message: string } }

/**
 * Names the subjects of a request, by their objects. A token that several objects contain is
 * verified only once.
 */
export async function resolveSubjects(
  names: SubjectNames,
  service: ServicePrincipal | undefined,
  subjects: Iterable<SubjectId>,
): Promise<Map<SubjectId, NamedSubject>> {
  const named = new Map<string, Map<string, Promise<NamedSubject>>>()
  const name = ({ type, id }: SubjectId) => {
    const ofType = named.get(type) ?? new Map<string, Promise<NamedSubject>>()
    named.set(type, ofType)
    const existing = ofType.get(id) ?? resolveSubject(names, service, { type, id })
    ofType.set(id, existing)
    return existing
  }
  const entries = [...new Set(subjects)].map(
    async (subject) => [subject, await name(subject)] as const,
  )
  return new Map(await Promise.all(entries))
}

/**
 * Returns whom a subject names for a service. An access token that is limited to the API of another one
 * names nobody; in development mode, no service is another one.
 */
export async function resolveSubject(
  names: SubjectNames,
  service: ServicePrincipal | undefined,
  subject: SubjectId | undefined,
): Promise<NamedSubject> {
  const type = subject && findSubjectType(subject.type)
  const named = (await type?.name(subject?.id ?? '', names)) ?? {}
  const { forService } = named
  if (forService === undefined || service?.name === undefined || service.name === forService)
    return named
  return { error: wrongAudience(), refusal: otherAudience }
}

/** Explains to the caller that a token is not valid. A user without permissions needs no context. */
export function describeSubjectError({ error }: NamedSubject): SubjectContext | undefined {
  return error && { subject_error: { reason: error.reason, message: error.message } }
}

/**
 * Notes that the agent of a subject acted, if the subject has one. Call it only for what is allowed, because
 * anyone can name delegations that do not exist.
 */
export function noteUse(
  noteDelegationUse: NoteDelegationUse,
  { subject }: NamedSubject,
  now: Date,
): void {
  if (subject?.delegationId !== undefined) noteDelegationUse(subject.delegationId, now)
}
