import type { Asker } from '../rpc/asker.ts'
import { createSharedStatement } from '../storage/shared-statement.ts'
import type { StatementPool } from '../storage/statement-pool.ts'
import { type Role, roles } from '../workspaces/roles.ts'
import { factsSql, roleShift, standingBit } from './facts-sql.ts'

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
 * Facts from PostgreSQL by a statement that concurrent callers share (contract 8); `onBatch` hears
 * how many of them.
 */
export function createFacts(pool: StatementPool, onBatch?: (callers: number) => void): LoadFacts {
  return createSharedStatement(async (questions, asker) => {
    onBatch?.(questions.length)
    const rows = await pool.rows<FactsRow>('facts', factsSql, parameters(questions), asker)
    return answers(questions, rows)
  }, rowsOf)
}

/** A question without asks is a row by itself. */
function rowsOf({ asks }: Question): number {
  return Math.max(asks.length, 1)
}

/** position, standing bits, service name, grounds. */
type FactsRow = [number, number, string | null, number]

/**
 * The array literals of the statement. A question without asks is one row, one with asks a row for
 * each; the credentials stand in the first row alone, so that their standing is looked up once.
 */
function parameters(questions: Question[]): string[] {
  const columns = Array.from({ length: 9 }, (): string[] => [])
  const [keys, tokens, standing, users, workspaces, services, types, resources, actions] =
    columns as [Column, Column, Column, Column, Column, Column, Column, Column, Column]
  for (const { keyHash, tokenId, userId, workspaceId, asks } of questions) {
    for (let at = 0; at < Math.max(asks.length, 1); at += 1) {
      const ask = asks[at]
      keys.push((at === 0 && keyHash) || 'NULL')
      tokens.push((at === 0 && tokenId) || 'NULL')
      standing.push((at === 0 && userId) || 'NULL')
      users.push(userId ?? 'NULL')
      workspaces.push(workspaceId ?? 'NULL')
      services.push(ask ? quote(ask.service_name) : 'NULL')
      types.push(ask ? quote(ask.resource_type) : 'NULL')
      resources.push(ask?.resource_id ?? 'NULL')
      actions.push(ask ? quote(ask.action) : 'NULL')
    }
  }
  return columns.map((column) => `{${column.join(',')}}`)
}

type Column = string[]

/** A text as an element of an array literal; hashes and ids need no quotes. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function answers(questions: Question[], rows: FactsRow[]): Facts[] {
  const ordered = new Array<FactsRow>(rows.length)
  for (const row of rows) ordered[row[0] - 1] = row
  let at = 0
  return questions.map(({ asks }) => {
    const standing = readStanding(ordered[at] as FactsRow)
    const grounds = new Array<number>(asks.length)
    for (let ask = 0; ask < asks.length; ask += 1) grounds[ask] = (ordered[at + ask] as FactsRow)[3]
    at += Math.max(asks.length, 1)
    return { standing, grounds }
  })
}

function readStanding([, bits, service]: FactsRow): Standing {
  return {
    service: service ?? undefined,
    keysRequired: (bits & standingBit.keysRequired) !== 0,
    tokenDenied: (bits & standingBit.denied) !== 0,
    userActive: (bits & standingBit.active) !== 0,
    userAdmin: (bits & standingBit.admin) !== 0,
    role: roles[(bits >> roleShift) - 1],
  }
}
