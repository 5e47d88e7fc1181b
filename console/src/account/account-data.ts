import type { Schemas } from '../api/client.ts'
import { settings } from './page-settings.ts'
import { call } from './session.ts'

/** What the page shows. */
export type Account = {
  user: Schemas['UserResponse']
  passkeys: Schemas['PasskeyResponse'][]
  accounts: Schemas['LinkedAccountResponse'][]
  sessions: Schemas['Session'][]
  grants: Schemas['Grant'][]
  workspaces: { id: string; name: string; role: string }[]
  invitations: Schemas['OwnInvitation'][]
}

/** Loads everything at once. */
export async function loadAccount(): Promise<Account> {
  const [user, passkeys, accounts, sessions, grants, workspaces, invitations] = await Promise.all([
    call<Account['user']>('GET', '/users/me'),
    settings.has_passkeys ? call<Account['passkeys']>('GET', '/users/me/passkeys') : [],
    call<Account['accounts']>('GET', '/users/me/accounts'),
    call<Account['sessions']>('GET', '/users/me/sessions'),
    settings.has_grants ? call<Account['grants']>('GET', '/users/me/grants') : [],
    call<Account['workspaces']>('GET', '/workspaces'),
    call<Account['invitations']>('GET', '/users/me/invitations'),
  ])
  const invited = new Set(invitations.map(({ workspace_id }) => workspace_id))
  const joined = workspaces.filter(({ id }) => !invited.has(id))
  return { user, passkeys, accounts, sessions, grants, workspaces: joined, invitations }
}
