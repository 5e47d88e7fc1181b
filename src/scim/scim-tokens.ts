import { ServiceError } from '../core/errors.ts'
import type { Statements } from '../database/statement-pool.ts'
import {
  checkedSecretPrefix,
  createCheckedSecret,
  isCheckedSecret,
} from '../identity/checked-secrets.ts'
import { hashSecret } from '../identity/secret.ts'
import { reasons } from './reasons.ts'
import { findScimTokenSql } from './store/scim-token-store.ts'

const prefix = 'ds_'

/** A SCIM token that exists: its ID and its workspace. */
export type ScimTokenOwner = { tokenId: string; workspaceId: string }

/** Finds whose a SCIM token is, or returns undefined if it has ended or never existed. */
export type FindScimToken = (token: string) => Promise<ScimTokenOwner | undefined>

/** Creates a SCIM token. It is returned once; the database stores only its hash. */
export function createScimToken(): string {
  return createCheckedSecret(prefix)
}

/** Returns the first characters of a SCIM token, so that people can distinguish tokens. */
export const scimTokenPrefix = checkedSecretPrefix

export function scimTokenInvalid(): ServiceError {
  return new ServiceError(reasons.SCIM_TOKEN_INVALID)
}

/**
 * Creates the function that looks up SCIM tokens by their hash. It reads the primary, so that a token
 * ends immediately. A text with a wrong checksum costs no statement.
 */
export function createFindScimToken(statements: Statements): FindScimToken {
  return async (token) => {
    if (!isCheckedSecret(prefix, token)) return undefined
    const sql = findScimTokenSql
    const values = [hashSecret(token)]
    const [row] = await statements.rows<[string, string]>('SCIM token', sql, values)
    return row && { tokenId: row[0], workspaceId: row[1] }
  }
}
