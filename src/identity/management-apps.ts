import type { Statements } from '../database/statement-pool.ts'
import { checkedSecretPrefix, createCheckedSecret, isCheckedSecret } from './checked-secrets.ts'
import { findManagementScopesSql } from './store/management-app-store.ts'

const prefix = 'dm_'

/**
 * Creates the secret of a management app. It is returned once; the database stores only its hash.
 */
export function createManagementSecret(): string {
  return createCheckedSecret(prefix)
}

/** Whether a client secret is meant to be the secret of a management app. */
export function looksLikeManagementSecret(secret: string): boolean {
  return secret.startsWith(prefix)
}

/** Whether a text has the form of a management app's secret, with the right checksum. */
export function isManagementSecret(text: string): boolean {
  return isCheckedSecret(prefix, text)
}

/** Returns the first characters of a secret, so that people can distinguish secrets. */
export const managementSecretPrefix = checkedSecretPrefix

/** Returns the current scopes of a management app, or undefined unless it is active. */
export type FindManagementScopes = (appId: string) => Promise<string[] | undefined>

/** Creates the function that reads scopes. It reads the primary, so that changes apply immediately. */
export function createFindManagementScopes(statements: Statements): FindManagementScopes {
  return async (appId) => {
    const sql = findManagementScopesSql
    const [row] = await statements.rows<[string[]]>('management scopes', sql, [appId])
    return row?.[0]
  }
}
