import type { ActivityStore } from '../activity/store/activity-store.ts'
import { newId } from '../core/new-id.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { Agreement, ConsentQuestion } from '../identity/ports.ts'
import type { ClientStore } from '../identity/store/client-store.ts'
import type { CodeStore } from '../identity/store/code-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { formRefused, keyOf } from './ask.ts'
import { findClientFacts } from './client-facts.ts'
import { shownName } from './client-name.ts'
import { endGrants, grantEvent } from './end-grants.ts'
import type { ConsentStore, Grant } from './store/consent-store.ts'

/** The stores that a consent reads and changes. */
export type ConsentStores = {
  activity: ActivityStore
  clients: ClientStore
  codes: CodeStore
  consents: ConsentStore
  rollout: RolloutStore
  sessions: SessionStore
}

/** The migration whose nodes know consents. */
const consentMigration = 103

/**
 * Saves what a user agrees to by a form, or uses an earlier consent. The grant of a new consent may end the
 * one that was not used for the longest time. The user is locked.
 *
 * @throws ServiceError `permission_denied` if the form has been used
 */
export async function agree(
  tx: ConsentStores,
  { now, maxPerUser }: { now: Date; maxPerUser: number },
  question: ConsentQuestion,
  agreement: Agreement,
): Promise<string | undefined> {
  const [workspace] = question.workspaces
  if (!workspace || !(await isAdmitted(tx, question, workspace.id))) return undefined
  await saveClient(tx, question)
  if ('grantId' in agreement)
    return (await tx.consents.renew(agreement.grantId, now)) ? agreement.grantId : undefined
  if (!(await tx.codes.consumeState(agreement.formHash, agreement.expiresAt)))
    throw formRefused(question)
  const { host, metadataHash } = await findClientFacts(tx.consents, question)
  const key = keyOf(question, workspace.id)
  const before = await tx.consents.lock(key)
  const actor = { actorId: question.user.id }
  if (!before) {
    const beyond = await tx.consents.listBeyond(question.user.id, maxPerUser - 1)
    await endGrants(tx, actor, beyond, now)
    const created = { id: newId(), ...key, host, metadataHash, scopes: question.scopes }
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

/** Whether a workspace admits a client. It cannot refuse it before the end of the transaction. */
async function isAdmitted(
  { consents }: ConsentStores,
  { client }: ConsentQuestion,
  workspaceId: string,
): Promise<boolean> {
  return !client.external || (await consents.lockAdmitting(workspaceId))
}

/** Saves a client that nobody registered, of which nothing is stored before the first consent. */
async function saveClient({ clients, rollout }: ConsentStores, { client }: ConsentQuestion) {
  const { id, name, external } = client
  if (!external) return
  await rollout.requireAllNodesKnow(consentMigration, 'A consent')
  await clients.saveExternal({ id, name: shownName(name), url: external.url })
}

async function requireGrant({ consents }: ConsentStores, id: string): Promise<Grant> {
  const [grant] = await consents.lockAll([id])
  if (!grant) throw new Error(`there is no grant ${id}`)
  return grant
}
