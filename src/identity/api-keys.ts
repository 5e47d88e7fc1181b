import { ServiceError } from '../core/errors.ts'
import type { Statements } from '../database/statement-pool.ts'
import { checkedSecretPrefix, createCheckedSecret, isCheckedSecret } from './checked-secrets.ts'
import { reasons } from './reasons.ts'
import { hashSecret } from './secret.ts'
import { findApiKeySql } from './store/api-key-store.ts'

const prefix = 'da_'

/**
 * Seconds for which a node may remember whose a key is. Whether the key, its account and its
 * workspace still exist is checked on every call, for which the ID of a key that has ended is denied
 * for longer than this.
 */
export const maxKeyMemory = 3600

/** A key that exists: its ID, its service account and the workspace of the account. */
export type ApiKeyOwner = {
  keyId: string
  userId: string
  workspaceId: string
  /** In seconds since the Unix epoch; undefined if the key does not expire. */
  expiresAt: number | undefined
}

/** Finds whose a key is, or returns undefined if it does not exist or has expired. */
export type FindApiKey = (key: string, now: Date) => Promise<ApiKeyOwner | undefined>

/** Creates an API key. */
export function createApiKey(): string {
  return createCheckedSecret(prefix)
}

/** Whether a bearer token is meant to be an API key. */
export function looksLikeApiKey(token: string): boolean {
  return token.startsWith(prefix)
}

/** Whether a text has the form of an API key, with the right checksum. */
export function isApiKey(text: string): boolean {
  return isCheckedSecret(prefix, text)
}

/** Returns the first characters of a key, so that people can distinguish keys. */
export const apiKeyPrefix = checkedSecretPrefix

export function apiKeyInvalid(): ServiceError {
  return new ServiceError(reasons.API_KEY_INVALID)
}

/** Creates the function that looks up API keys. A text with a wrong checksum costs no statement. */
export function createFindApiKey(statements: Statements): FindApiKey {
  return async (key, now) => {
    if (!isApiKey(key)) return undefined
    const rows = await statements.rows<[string, string, string, number | null]>(
      'api key',
      findApiKeySql,
      [hashSecret(key)],
    )
    const [row] = rows
    if (!row) return undefined
    const [keyId, userId, workspaceId, expiresAt] = row
    if (expiresAt !== null && expiresAt * 1000 <= now.getTime()) return undefined
    return { keyId, userId, workspaceId, expiresAt: expiresAt ?? undefined }
  }
}
