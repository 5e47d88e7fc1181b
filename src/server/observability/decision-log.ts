import { destination } from 'pino'
import type { PresentedDelegation, UserPrincipal } from '../../core/request-context.ts'
import { isUuid } from '../../core/uuid.ts'
import { statusBit } from '../../permissions/engine/bits.ts'
import { decide } from '../../permissions/engine/facts.ts'
import type { Check, Subject } from '../../permissions/engine/question.ts'
import { findReason } from '../../permissions/evaluate/decision-reason.ts'
import type { Decisions } from '../../rpc/decisions.ts'

/** A line of the decision log. Its subject is an ID of daikon or a fixed word, never what was sent. */
export type DecisionLine = {
  time: string
  event: 'decision'
  request_id: string
  service: string | null
  subject: string
  /** The type and the ID of the agent that acts for the subject, as `type:id`. */
  agent: string | null
  delegation_id: string | null
  workspace_id: string | null
  action: string | null
  resource: string | null
  allowed: boolean
  reason: string
  duration_ms: number
}

export type DecisionLogOptions = {
  decisions: 'denied' | 'all'
  /** The share of decisions to log, 0 to 1. */
  sample: number
  /** Finds the ID of a user who was named by an e-mail address or an ID of another system. */
  findUser: (subject: Subject) => Promise<string | undefined>
  /** Finds the agent of a delegation that a request names without a token of its agent. */
  findAgent: (delegationId: string) => Promise<PresentedDelegation['agent'] | undefined>
  write: (line: DecisionLine) => void
}

/** Line and paragraph separators: JSON allows them in a text, but some readers split lines at them. */
const separators = /[\u2028\u2029]/g

/** Returns a function that writes lines to standard output, whatever the level of the log is. */
export function createLineWriter(): (line: DecisionLine) => void {
  const output = destination({ dest: 1, sync: true })
  const escaped = (separator: string) => (separator === '\u2028' ? '\\u2028' : '\\u2029')
  return (line) => output.write(`${JSON.stringify(line).replace(separators, escaped)}\n`)
}

/** Creates the log of decisions: one line for each check that was decided. */
export function createDecisionLog({
  decisions: logged,
  sample,
  findUser,
  findAgent,
  write,
}: DecisionLogOptions): (decisions: Decisions) => Promise<void> {
  async function findSubject(
    { subject }: Check,
    bits: number,
    user: string | undefined,
  ): Promise<string> {
    if (!subject) return user ?? 'anonymous'
    if (subject.isAnonymous) return 'anonymous'
    const id = subject.userId ?? subject.groupId ?? subject.linkId
    // A verified token names a user even after it was revoked.
    if (id !== undefined) {
      const isKnown = (bits & statusBit.known) !== 0 || subject.tokenId !== undefined
      return isKnown ? id.toLowerCase() : 'unknown'
    }
    if ((bits & statusBit.known) === 0) return 'unknown'
    return (await findUser(subject).catch(() => undefined)) ?? 'unknown'
  }

  /** Returns the delegation by which an agent asks, if it exists. */
  async function findDelegation(
    { subject }: Check,
    bits: number,
    caller: UserPrincipal | undefined,
  ): Promise<Partial<PresentedDelegation>> {
    const id = subject ? subject.delegationId : caller?.delegation?.id
    if (id === undefined) return {}
    if (id === caller?.delegation?.id) return caller.delegation
    if ((bits & statusBit.known) === 0) return {}
    const agent = await findAgent(id).catch(() => undefined)
    return { id, ...(agent && { agent }) }
  }

  return async ({ call, principal: { user, service }, checks, bits, milliseconds }) => {
    const time = new Date().toISOString()
    for (const [index, check] of checks.entries()) {
      const facts = bits[index] ?? 0
      const allowed = check !== undefined && decide(check.action, facts)
      if (allowed && logged === 'denied') continue
      if (sample < 1 && Math.random() >= sample) continue
      const delegation = check ? await findDelegation(check, facts, user) : {}
      write({
        time,
        event: 'decision',
        request_id: call.requestId,
        service: service?.name ?? check?.serviceName ?? null,
        subject: check ? await findSubject(check, facts, user?.id) : 'unknown',
        agent: delegation.agent ? `${delegation.agent.type}:${delegation.agent.id}` : null,
        delegation_id: delegation.id ?? null,
        workspace_id: check?.subject?.workspaceId ?? user?.workspaceId ?? null,
        action: check?.action ?? null,
        resource: check && isUuid(check.resourceId) ? nameOf(check) : null,
        allowed,
        reason: check ? findReason(check, facts) : 'invalid',
        duration_ms: Math.round(milliseconds * 1000) / 1000,
      })
    }
  }
}

function nameOf({ serviceName, resourceType, resourceId }: Check): string {
  return `${serviceName}/${resourceType}/${resourceId.toLowerCase()}`
}
