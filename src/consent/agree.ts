import { v7 as uuid } from 'uuid'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Agreement, ConsentQuestion } from '../identity/ports.ts'
import type { CodeStore } from '../identity/store/code-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { formRefused, keyOf } from './ask.ts'
import { findClientFacts } from './client-facts.ts'
import { endGrants, grantEvent } from './end-grants.ts'
import type { ConsentStore, Grant } from './store/consent-store.ts'

type Stores = {
  activity: ActivityStore
  codes: CodeStore
  consents: ConsentStore
  sessions: SessionStore
}

/**
 * Saves what a user agrees to by a form, or uses an earlier consent. The grant of a new consent may end the
 * one that was not used for the longest time. The user is locked.
 *
 * @throws ServiceError `permission_denied` if the form has been used
 */
export async function agree(
  tx: Stores,
  { now, maxPerUser }: { now: Date; maxPerUser: number },
  question: ConsentQuestion,
  agreement: Agreement,
): Promise<string | undefined> {
  if ('grantId' in agreement)
    return (await tx.consents.renew(agreement.grantId, now)) ? agreement.grantId : undefined
  if (!(await tx.codes.consumeState(agreement.formHash, agreement.expiresAt)))
    throw formRefused(question)
  const [workspace] = question.workspaces
  if (!workspace) return undefined
  const { host, metadataHash } = await findClientFacts(tx.consents, question)
  const key = keyOf(question, workspace.id)
  const before = await tx.consents.lock(key)
  const actor = { actorId: question.user.id }
  if (!before) {
    const beyond = await tx.consents.listBeyond(question.user.id, maxPerUser - 1)
    await endGrants(tx, actor, beyond, now)
    const created = { id: uuid(), ...key, host, metadataHash, scopes: question.scopes }
    await tx.consents.insert(created, now)
    await tx.activity.record(actor, grantEvent('grant.created', await requireGrant(tx, created.id)))
    return created.id
  }
  // What was agreed to earlier stays, unless it was agreed to with another client of this name.
  const isSame = before.metadataHash === metadataHash
  const kept = isSame ? before.scopes : []
  const scopes = [...new Set([...kept, ...question.scopes])]
  await tx.consents.update(before.id, { host, metadataHash, scopes }, now)
  if (!isSame || scopes.length > before.scopes.length)
    await tx.activity.record(actor, grantEvent('grant.extended', await requireGrant(tx, before.id)))
  return before.id
}

async function requireGrant({ consents }: Stores, id: string): Promise<Grant> {
  const [grant] = await consents.list({ id }, { limit: 1 })
  if (!grant) throw new Error(`there is no grant ${id}`)
  return grant
}
