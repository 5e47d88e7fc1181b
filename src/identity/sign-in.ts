import type { EntityManager } from '@mikro-orm/postgresql'
import { LinkedAccount } from '../database/entities/people.ts'
import { ensureUser } from './ensure-user.ts'
import type { IdentityDependencies } from './identity-dependencies.ts'
import { type Failure, refusal } from './oauth-flow.ts'
import type { Identity } from './providers/provider.ts'

type SignInDependencies = Pick<IdentityDependencies, 'createPersonalWorkspace' | 'options'>

/** Who signed in. */
export type SignedIn = { id: string; email: string; name: string; isAdmin: boolean }

/**
 * Finds or makes the user of an identity, in the principal's transaction: by (provider, subject), else by
 * an e-mail the provider vouches for, which claims an invitation too.
 */
export async function signIn(
  em: EntityManager,
  identity: Identity,
  now: Date,
  { createPersonalWorkspace, options: { adminEmails, personalWorkspaces } }: SignInDependencies,
): Promise<SignedIn | Failure> {
  const vouched = identity.emailVerified ? identity.email : undefined
  const userId =
    (await findLinked(em, identity)) ?? (vouched && (await link(em, identity, vouched)))
  if (!userId) return refusal('email_not_verified')

  const promoted = vouched !== undefined && adminEmails.includes(vouched)
  // An invited person has no name yet; one they chose themselves is theirs.
  const [user] = await em.execute<(SignedIn & { is_active: boolean })[]>(
    `update users set
       last_sign_in_at = ?,
       is_admin = is_admin or ?,
       name = case when name = '' then ? else name end,
       avatar_url = case when avatar_url = '' then ? else avatar_url end
     where id = ? and is_active
     returning id, email, name, is_admin as "isAdmin"`,
    [now, promoted, identity.name, identity.avatarUrl, userId],
  )
  if (!user) return refusal('user_inactive')
  if (personalWorkspaces) await createPersonalWorkspace(em, user, now)
  return user
}

async function findLinked(em: EntityManager, identity: Identity): Promise<string | undefined> {
  const { provider, subject } = identity
  return (await em.findOne(LinkedAccount, { provider, subject }))?.user_id
}

/** Links the account to whoever has this address, made now if nobody has; answers the user's id. */
async function link(em: EntityManager, identity: Identity, email: string): Promise<string> {
  const { provider, subject, hostedDomain = '' } = identity
  const userId = await ensureUser(em, email)
  await em.execute(
    `insert into linked_accounts (provider, subject, user_id, email, hosted_domain)
     values (?, ?, ?, ?, ?) on conflict (provider, subject) do nothing`,
    [provider, subject, userId, email, hostedDomain],
  )
  return (await em.findOneOrFail(LinkedAccount, { provider, subject })).user_id
}
