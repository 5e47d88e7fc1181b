import type { Statements } from '../database/statement-pool.ts'
import { hashSecret } from '../identity/secret.ts'
import type { FindLink } from '../permissions/find-link.ts'
import { linkByTokenSql } from './store/link-store.ts'

/** Creates the function that finds a link by its token. Calls `onUsed` with the ID. */
export function createFindLink(statements: Statements, onUsed: (id: string) => void): FindLink {
  return async (token) => {
    if (!token.startsWith('dl_')) return undefined
    const rows = await statements.rows<[string]>('link', linkByTokenSql, [hashSecret(token)])
    const id = rows[0]?.[0]
    if (id !== undefined) onUsed(id)
    return id
  }
}
