import type { EntityManager } from '@mikro-orm/postgresql'

/** Milliseconds that a provider may have taken since the call came; the token is signed after. */
const slack = 60_000

/** Keeps in mind that the user will have this token, which lives for so many seconds. */
export async function noteAdminToken(
  em: EntityManager,
  now: Date,
  { tokenId, userId, lifetime }: { tokenId: string; userId: string; lifetime: number },
): Promise<void> {
  await em.execute('insert into admin_tokens (token_id, user_id, expires_at) values (?, ?, ?)', [
    ...[tokenId, userId, new Date(now.getTime() + lifetime * 1000 + slack)],
  ])
}

/** Denies the user's admin tokens for what life they have. */
export async function endAdminTokens(em: EntityManager, userId: string): Promise<void> {
  await em.execute(
    `with ended as (delete from admin_tokens where user_id = ? returning token_id, expires_at)
     insert into denied_tokens (token_id, expires_at) select token_id, expires_at from ended
     on conflict do nothing`,
    [userId],
  )
}
