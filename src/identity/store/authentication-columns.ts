import type { Authentication } from '../authentication.ts'
import { acrOf } from '../session-provider.ts'

/** The columns of codes and sessions about the authentication, null if it is not known. */
type AuthenticationColumns = {
  provider: string
  authenticated_at?: Date | null | undefined
  is_time_reported: boolean
  stepped_up_at?: Date | null | undefined
  amr?: string[] | null | undefined
}

export function fromColumns(row: AuthenticationColumns): Authentication | undefined {
  const { authenticated_at: authenticatedAt, is_time_reported: isTimeReported, amr } = row
  if (!authenticatedAt) return undefined
  const isStepUp = row.stepped_up_at?.getTime() === authenticatedAt.getTime()
  const acr = acrOf(row.provider)
  return { authenticatedAt, isTimeReported, isStepUp, amr: amr ?? [], acr }
}

export function toColumns(authentication: Authentication | undefined) {
  const authenticatedAt = authentication?.authenticatedAt ?? null
  return {
    authenticated_at: authenticatedAt,
    is_time_reported: authentication?.isTimeReported ?? false,
    stepped_up_at: authentication?.isStepUp ? authenticatedAt : null,
    amr: authentication?.amr ?? null,
  }
}
