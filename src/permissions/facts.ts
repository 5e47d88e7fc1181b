import type { Asker } from '../rpc/asker.ts'
import { createSharedStatement } from '../storage/shared-statement.ts'
import type { StatementPool } from '../storage/statement-pool.ts'
import type { Role } from '../workspaces/roles.ts'
import { createFactsBatch, type FactsRow } from './facts-batch.ts'
import { factsSql } from './facts-sql.ts'

/** One thing asked about a resource. */
export type Ask = {
  service_name: string
  resource_type: string
  resource_id: string
  action: string
}

/** Who asks, by what the credentials claim, and about which resources. Ids must be valid UUIDs. */
export type Question = {
  /** SHA-256 of the service key, hex. */
  keyHash: string | undefined
  tokenId: string | undefined
  userId: string | undefined
  workspaceId: string | undefined
  asks: Ask[]
}

/** How things stand now with who asks. */
export type Standing = {
  /** The name the key is scoped to; undefined when no active app has this key. */
  service: string | undefined
  /** Any active service app exists: development mode is over (specification 5.5). */
  keysRequired: boolean
  tokenDenied: boolean
  userActive: boolean
  userAdmin: boolean
  /** The user's role in the token's workspace. */
  role: Role | undefined
}

/** The standing, and for each ask its bits of `access.ts`, in order. */
export type Facts = { standing: Standing; grounds: number[] }

/** Loads facts as they are now; an asker who goes waits for them no longer. */
export type LoadFacts = (question: Question, asker?: Asker) => Promise<Facts>

/**
 * Facts from PostgreSQL by a statement that concurrent callers share; `onBatch` hears how many of
 * them.
 */
export function createFacts(pool: StatementPool, onBatch?: (callers: number) => void): LoadFacts {
  return createSharedStatement(async (questions, asker) => {
    onBatch?.(questions.length)
    const { membership, parameters, read } = createFactsBatch(questions)
    const [name, sql] = [`facts ${membership}`, factsSql[membership]]
    const [row] = await pool.rows<FactsRow>(name, sql, parameters, asker)
    return read(row as FactsRow)
  }, rowsOf)
}

/** What a question adds to the work of a statement; one without asks is not nothing. */
function rowsOf({ asks }: Question): number {
  return Math.max(asks.length, 1)
}
