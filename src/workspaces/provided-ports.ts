import type { SignInInvitations, SignInWorkspaces } from '../identity/ports.ts'
import { createPersonalWorkspace, type PersonalStores } from './personal-workspace.ts'
import type { InvitationStore } from './store/invitation-store.ts'
import type { MemberStore } from './store/member-store.ts'

/** What workspaces tell the features below. */
export const workspacePorts = {
  signInInvitations: ({
    invitations,
    members,
  }: {
    invitations: InvitationStore
    members: MemberStore
  }): SignInInvitations => ({
    findByToken: (token, now) => invitations.findByToken(token, now),
    async accept(invitation, now) {
      await members.join(invitation, now)
      await invitations.endLinks(invitation, now)
    },
  }),
  signInWorkspaces: (tx: PersonalStores): SignInWorkspaces => ({
    createPersonal: (user, now) => createPersonalWorkspace(tx, user, now),
    async findName(id) {
      return (await tx.workspaces.find(id))?.name
    },
    hasMember: (member) => tx.members.exists(member),
    join: (member, now) => tx.members.join(member, now),
  }),
}
