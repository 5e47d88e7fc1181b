import { invitationUrl } from '../identity/oauth/invitation.ts'
import { createSecret } from '../identity/secret.ts'
import type { InvitationStore } from './store/invitation-store.ts'
import type { MemberId } from './store/member-store.ts'

/** How invitations reach people. */
export type InvitationOptions = {
  /** The public address of the server. */
  baseUrl: string
  /** Whether invitations are sent by e-mail. */
  areMailed: boolean
}

/** The part of a context that handlers need to invite people. */
export type InvitationContext = { invitations: InvitationOptions }

/** The lifetime of the link of an invitation, in milliseconds. */
const linkLifetime = 7 * 86_400_000

/**
 * Ends the links of an invitation and creates a new one, which is sent by e-mail, or returned if
 * e-mail is not configured. Requires a transaction.
 */
export async function renewLink(
  tx: { invitations: InvitationStore },
  { baseUrl, areMailed }: InvitationOptions,
  id: MemberId,
  now: Date,
): Promise<string | undefined> {
  // Queuing waits for a node that is creating the link of an earlier e-mail, which then ends, too.
  if (areMailed) await tx.invitations.queueMail(id, now, new Date(now.getTime() + linkLifetime))
  await tx.invitations.endLinks(id, now)
  return areMailed ? undefined : createLink(tx, baseUrl, id, now)
}

/** Creates a link to a pending invitation and returns its URL. */
export async function createLink(
  { invitations }: { invitations: InvitationStore },
  baseUrl: string,
  { userId, workspaceId }: MemberId,
  now: Date,
): Promise<string> {
  const token = createSecret()
  const expiresAt = new Date(now.getTime() + linkLifetime)
  await invitations.addLink({ token, userId, workspaceId, createdAt: now, expiresAt })
  return invitationUrl(baseUrl, token)
}
