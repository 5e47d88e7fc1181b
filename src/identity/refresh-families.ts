import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type { TokenResponse } from '../../gen/daikon/v1/auth.ts'
import { RefreshFamily, RefreshToken } from '../database/entities/sign-in.ts'
import type { Claims } from './claims.ts'
import type { IdentityDependencies } from './identity-dependencies.ts'

/** A session: every refresh token that comes of one sign-in (specification 3). */
export type Family = { id: string; expiresAt: Date }

type Beginning = { subject: Claims['access']; provider: string; userAgent: string }

/** Begins a family; it ends after the refresh lifetime, however often it is refreshed. */
export async function beginFamily(
  em: EntityManager,
  now: Date,
  lifetime: number,
  { subject, provider, userAgent }: Beginning,
): Promise<Family> {
  const family = { id: uuid(), expiresAt: new Date(now.getTime() + lifetime * 1000) }
  await em.insert(RefreshFamily, {
    id: family.id,
    user_id: subject.sub,
    workspace_id: subject.wid,
    provider,
    user_agent: userAgent,
    created_at: now,
    last_used_at: now,
    expires_at: family.expiresAt,
  })
  return family
}

/** Issues the next access and refresh token of a family. */
export async function issuePair(
  em: EntityManager,
  now: Date,
  { tokens, options: { lifetimes } }: IdentityDependencies,
  family: Family,
  subject: Claims['access'],
): Promise<TokenResponse> {
  const { sub, wid } = subject
  const left = Math.max(1, Math.floor((family.expiresAt.getTime() - now.getTime()) / 1000))
  const jti = randomUUID()
  await em.insert(RefreshToken, {
    token_id: jti,
    family_id: family.id,
    access_token_id: subject.jti,
    access_expires_at: new Date(now.getTime() + lifetimes.access * 1000),
  })
  const [access_token, refresh_token] = await Promise.all([
    tokens.sign('access', subject, lifetimes.access),
    tokens.sign('refresh', { sub, jti, wid }, left),
  ])
  return {
    access_token,
    refresh_token,
    token_type: 'Bearer',
    expires_in: lifetimes.access,
    refresh_expires_in: left,
    workspace_id: wid,
  }
}

/** Ends every session of a user, or those in one workspace, but for the one to be kept. */
export async function endSessionsOf(
  em: EntityManager,
  now: Date,
  whose: { user_id: string; workspace_id?: string },
  kept?: string,
): Promise<void> {
  const families = await em.find(RefreshFamily, whose)
  const ids = families.map(({ id }) => id).filter((id) => id !== kept)
  await revokeFamilies(em, now, ids)
}

/** Ends families: their refresh tokens are gone, their access tokens denied for what life they have. */
export async function revokeFamilies(
  em: EntityManager,
  now: Date,
  familyIds: string[],
): Promise<void> {
  if (familyIds.length === 0) return
  const places = familyIds.map(() => '?').join(', ')
  // Locked first: a refresh under way is through, and its access token seen, or it fails.
  await em.execute(
    `select from refresh_families where id in (${places}) order by id for update`,
    familyIds,
  )
  await em.execute(
    `insert into denied_tokens (token_id, expires_at)
     select access_token_id, access_expires_at from refresh_tokens
     where family_id in (${places}) and access_expires_at > ?
     on conflict do nothing`,
    [...familyIds, now],
  )
  await em.nativeDelete(RefreshFamily, { id: { $in: familyIds } })
}
