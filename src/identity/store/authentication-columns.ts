import type { Authentication } from '../authentication.ts'
import { acrOf } from '../session-provider.ts'

/** The columns of codes and sessions about the authentication, null if it is not known. */
type AuthenticationColumns = {
  provider: string
  authenticated_at?: Date | null | undefined
  is_time_reported: boolean
  amr?: string[] | null | undefined
}

export function fromColumns(row: AuthenticationColumns): Authentication | undefined {
  const { authenticated_at: authenticatedAt, is_time_reported: isTimeReported, amr } = row
  if (!authenticatedAt) return undefined
  return { authenticatedAt, isTimeReported, amr: amr ?? [], acr: acrOf(row.provider) }
}

export function toColumns(authentication: Authentication | undefined) {
  return {
    authenticated_at: authentication?.authenticatedAt ?? null,
    is_time_reported: authentication?.isTimeReported ?? false,
    amr: authentication?.amr ?? null,
  }
}
