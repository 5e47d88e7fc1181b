import type { PrincipalStatus } from '../../../core/caller.ts'
import { isCanonicalUuid } from '../../../core/uuid.ts'
import { grant } from '../../access.ts'
import { statusBit } from '../bits.ts'
import type { FactsQuery, Load, Loaded } from '../facts.ts'
import type { Check, Subject } from '../question.ts'
import { isAccepted, statusKey } from './caller.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createMemory, type Memory } from './memory.ts'
import { type CacheResult, createVerifiedCache, type Entry } from './verified-cache.ts'

/** What is remembered of callers and subjects, for every check about them. */
export type SubjectMemory = {
  statuses: Memory<Entry<PrincipalStatus>>
  /** The IDs of users by their names (`nameKey`). */
  userIds: Memory<Entry<string>>
}

/** The share of the memory for names. Statuses take the rest. */
const namesShare = 0.25

/** Creates a memory that takes at most about `maxBytes`. */
export function createSubjectMemory(maxBytes: number): SubjectMemory {
  return {
    statuses: createMemory(maxBytes * (1 - namesShare)),
    userIds: createMemory(maxBytes * namesShare, ({ value }) => value.length),
  }
}

export type RememberedChecksOptions<Fact> = {
  load: Load<Fact>
  /** Returns the bits (`bits.ts`) of a fact. */
  bitsOf(fact: Fact): number
  /** Returns facts that were verified at `now`; the same ones if absent. */
  verified?: (facts: Fact[], now: string) => Fact[]
  facts: Memory<Entry<Fact>>
  subjects: SubjectMemory
  feed: ChangeFeed
  onQuery?: ((result: CacheResult) => void) | undefined
}

/** The keys and entries of a query. The key of a check is undefined if its user is unknown. */
type FoundChecks<Fact> = {
  isComplete: boolean
  statusKey: string
  status: Entry<PrincipalStatus> | undefined
  keys: (string | undefined)[]
  entries: (Entry<Fact> | undefined)[]
  /** The users of subjects that have another name than their ID. */
  named: Map<Subject, Entry<string>> | undefined
}

/**
 * Wraps `load` with a memory. Statuses, names and the facts of checks are separate entries, so that
 * different queries can use the same ones.
 */
export function createRememberedChecks<Fact>({
  load,
  bitsOf,
  verified = (facts) => facts,
  facts,
  subjects: { statuses, userIds },
  feed,
  onQuery,
}: RememberedChecksOptions<Fact>): Load<Fact> {
  function find(query: FactsQuery): FoundChecks<Fact> {
    const key = statusKey(query)
    const status = statuses.get(key)
    const found: FoundChecks<Fact> = {
      isComplete: status !== undefined,
      statusKey: key,
      status,
      keys: [],
      entries: [],
      named: undefined,
    }
    for (const check of query.checks) {
      const subject = check.subject ?? query
      const userId = findUserId(found, subject)
      const key = userId === undefined ? undefined : checkKey(check, subject, userId)
      // The others are loaded anyway once one is missing.
      const entry = found.isComplete && key !== undefined ? facts.get(key) : undefined
      if (entry === undefined) found.isComplete = false
      found.keys.push(key)
      found.entries.push(entry)
    }
    return found
  }

  /**
   * Returns the ID of a user, '' for an anonymous subject, or undefined if it is not known. An ID in
   * another spelling than the database's, which changes are recorded under, is not known.
   */
  function findUserId(found: FoundChecks<Fact>, subject: Subject): string | undefined {
    const { userId, delegationId } = subject
    if (delegationId !== undefined && !isCanonicalUuid(delegationId)) return undefined
    if (userId !== undefined) return isCanonicalUuid(userId) ? userId : undefined
    if (subject.isAnonymous) return ''
    const key = nameKey(subject)
    const entry = found.named?.get(subject) ?? (key === undefined ? undefined : userIds.get(key))
    if (entry === undefined) return undefined
    found.named ??= new Map()
    found.named.set(subject, entry)
    return entry.value
  }

  function isCurrent(query: FactsQuery, { status, entries, named }: FoundChecks<Fact>): boolean {
    if (!isStatusCurrent(query, status as Entry<PrincipalStatus>)) return false
    for (const { value, version } of named?.values() ?? [])
      if (!feed.isUnchanged(version, { workspaceId: undefined, itemIds: [value] })) return false
    const now = feed.current()
    return query.checks.every((check, index) => {
      const entry = entries[index] as Entry<Fact>
      // The usual case, without further work.
      if (entry.version === now) return true
      const subject: Subject = check.subject ?? query
      const userId = subject.userId ?? named?.get(subject)?.value
      return isFactCurrent(check, subject, userId, entry)
    })
  }

  function isStatusCurrent(query: FactsQuery, { version }: Entry<PrincipalStatus>): boolean {
    if (version === feed.current()) return true
    const { workspaceId, userId, tokenId, delegationId } = query
    return feed.isUnchanged(version, { workspaceId, itemIds: [userId, tokenId, delegationId] })
  }

  function isFactCurrent(
    { resourceId }: Check,
    { workspaceId, tokenId, delegationId }: Subject,
    userId: string | undefined,
    { value, version }: Entry<Fact>,
  ): boolean {
    // The facts depend on the workspace of the resource. It is any one if the subject is not limited
    // to a workspace, or if the resource is not in that workspace, where it may become public.
    const isInside = (bitsOf(value) & grant.registered) !== 0
    return feed.isUnchanged(version, {
      workspaceId: (isInside && workspaceId) || 'any',
      itemIds: [userId, tokenId, resourceId.toLowerCase(), delegationId],
    })
  }

  function store(
    query: FactsQuery,
    found: FoundChecks<Fact>,
    result: Loaded<Fact>,
    version: number,
  ) {
    if (!isAccepted(query, result.status)) return
    // A status that is still current need not be replaced.
    if (found.status?.version !== version)
      statuses.set(found.statusKey, { value: result.status, version })
    for (const [subject, userId] of result.userIds ?? [])
      userIds.set(nameKey(subject) as string, { value: userId, version })
    for (const [index, check] of query.checks.entries()) {
      const value = result.facts[index] as Fact
      const subject: Subject = check.subject ?? query
      const userId = result.userIds?.get(subject)
      // The user that a name means may have changed since its key was made.
      const key =
        userId === undefined
          ? keyOfUnnamed(found, subject, index)
          : checkKey(check, subject, userId)
      // The first user with an ID or a name has no change record.
      const isUnknownUser = !subject.isAnonymous && (bitsOf(value) & statusBit.known) === 0
      if (key !== undefined && !isUnknownUser) facts.set(key, { value, version })
    }
  }

  return createVerifiedCache<FactsQuery, FoundChecks<Fact>, Loaded<Fact>>({
    feed,
    load,
    find,
    isCurrent,
    read: ({ status, entries }, now) => ({
      status: (status as Entry<PrincipalStatus>).value,
      facts: verified(
        entries.map((entry) => (entry as Entry<Fact>).value),
        now,
      ),
    }),
    store,
    onQuery,
  })
}

function keyOfUnnamed<Fact>(
  { keys }: FoundChecks<Fact>,
  subject: Subject,
  index: number,
): string | undefined {
  return subject.userId !== undefined || subject.isAnonymous ? keys[index] : undefined
}

/** Returns the key of a user's name, beginning with a letter for its kind. Undefined without a name. */
function nameKey({ email, externalId, delegationId }: Subject): string | undefined {
  if (delegationId !== undefined) return `d${delegationId}`
  if (externalId !== undefined) return `i${externalId}`
  return email === undefined ? undefined : `e${email}`
}

/** Line breaks separate the parts, none of which can contain one. */
function checkKey(
  { serviceName, resourceType, resourceId, action }: Check,
  { tokenId = '', workspaceId = '', delegationId }: Subject,
  userId: string,
): string {
  const resource = resourceId.toLowerCase()
  const key = `${workspaceId}\n${userId}\n${tokenId}\n${serviceName}\n${resourceType}\n${resource}\n${action}`
  return delegationId === undefined ? key : `${key}\n${delegationId}`
}
