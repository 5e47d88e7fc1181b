import type { InferEntity } from '@mikro-orm/core'
import type { RefreshFamily } from '../../database/entities/sign-in.ts'
import type { Authentication } from '../authentication.ts'
import { fromColumns, toColumns } from './authentication-columns.ts'

/** A session: a family of all refresh tokens that descend from one authorization code. */
export type UserSession = {
  id: string
  userId: string
  workspaceId: string
  provider: string
  userAgent: string
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
  /**
   * The client app that started the session, and the granted scope. A session that began at
   * `/auth/login` has no scope, and a client app only if it is confidential.
   */
  clientId: string | undefined
  scope: string | undefined
  /** The client app of a session that began at `/auth/login`, whatever its type. */
  loginClientId: string | undefined
  browserSessionId: string | undefined
  /** The API that the tokens of the session are limited to, if any. */
  resourceId: string | undefined
  /** The consent of the user, if the client app requires one. */
  grantId: string | undefined
  /** Unknown for a session of `/auth/login` that an earlier version began. */
  authentication: Authentication | undefined
}

export type SessionRow = InferEntity<typeof RefreshFamily>

export function fromRow(row: SessionRow): UserSession {
  return {
    id: row.id,
    userId: row.user_id,
    workspaceId: row.workspace_id,
    provider: row.provider,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    clientId: row.client_id ?? undefined,
    scope: row.scope ?? undefined,
    loginClientId: row.login_client_id ?? undefined,
    browserSessionId: row.browser_session_id ?? undefined,
    resourceId: row.resource_id ?? undefined,
    grantId: row.grant_id ?? undefined,
    authentication: fromColumns(row),
  }
}

export function toRow(session: UserSession) {
  return {
    id: session.id,
    user_id: session.userId,
    workspace_id: session.workspaceId,
    provider: session.provider,
    user_agent: session.userAgent,
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
    expires_at: session.expiresAt,
    client_id: session.clientId ?? null,
    login_client_id: session.loginClientId ?? null,
    scope: session.scope ?? null,
    browser_session_id: session.browserSessionId ?? null,
    resource_id: session.resourceId ?? null,
    grant_id: session.grantId ?? null,
    ...toColumns(session.authentication),
  }
}
