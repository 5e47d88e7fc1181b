import { escapeHtml } from '../core/escape-html.ts'
import { describeInviter } from '../identity/oauth/invitation.ts'
import type { Mail } from '../outbound/mail-client.ts'
import { renderMailDocument, smallPrint } from '../outbound/mail-document.ts'
import type { PendingInvitation } from './store/invitation-store.ts'

/** The longest name in an e-mail. Other people choose the names of workspaces and inviters. */
const maxNameLength = 80

/** Renders the e-mail of an invitation. */
export function renderInvitationMail(
  { email, role, workspaceName, inviter }: PendingInvitation,
  url: string,
): Mail {
  const workspace = shorten(workspaceName)
  const from = shorten(describeInviter(inviter))
  const sentence = `${from} invites you to join the workspace “${workspace}” as ${role}.`
  const terms = `The link is for ${email}, can be used once and ends after seven days.`
  const ignore =
    'If you do not expect this invitation, ignore this e-mail: nothing happens without you.'
  return {
    to: email,
    subject: `Invitation to ${workspace}`,
    text: `${sentence}\n\nView the invitation:\n${url}\n\n${terms}\n${ignore}\n`,
    html: renderHtml(workspace, sentence, url, [terms, ignore]),
  }
}

function renderHtml(workspace: string, sentence: string, url: string, notes: string[]): string {
  const button =
    'display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none;font-weight:600'
  return renderMailDocument(`Invitation to ${workspace}`, 'You are invited', [
    `<p style="margin:0 0 24px">${escapeHtml(sentence)}</p>`,
    `<p style="margin:0 0 24px"><a href="${escapeHtml(url)}" style="${button}">View the invitation</a></p>`,
    ...notes.map((note) => `<p style="margin:0 0 8px;${smallPrint}">${escapeHtml(note)}</p>`),
  ])
}

function shorten(name: string): string {
  const line = name.replace(/\s+/gu, ' ').trim()
  const characters = [...line]
  return characters.length > maxNameLength
    ? `${characters.slice(0, maxNameLength).join('')}…`
    : line
}
