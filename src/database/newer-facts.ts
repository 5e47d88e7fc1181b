import { lacksMigrations } from './database-errors.ts'
import { schemaVersion } from './schema-version.ts'

/** Facts that a node without the migration of this number would decide wrongly. */
export type NewerFact = { migration: number; fact: string }

/** Runs SQL, as `Database.execute` does. */
type Execute = (sql: string) => Promise<{ rows: object[] }>

/** Returns the facts in the database that nodes of some versions would decide wrongly, newest first. */
export async function readNewerFacts(execute: Execute): Promise<NewerFact[]> {
  try {
    return (await execute(newerFactsSql)).rows as NewerFact[]
  } catch (error) {
    if (lacksMigrations(error)) return []
    throw error
  }
}

const newerFactsSql = 'select migration, fact from newer_facts order by migration desc, fact'

/**
 * Requires that this version knows all facts in the database. Call it once a session tells
 * PostgreSQL the version of this process, because from then on, `RolloutStore.requireAllNodesKnow`
 * refuses to write facts that it does not know.
 *
 * @throws an Error with `code` NEWER_FACTS if a newer version has written facts that this one does
 * not know
 */
export async function requireKnownFacts(execute: Execute, version = schemaVersion): Promise<void> {
  const unknown = (await readNewerFacts(execute)).filter(({ migration }) => migration > version)
  const [newest] = unknown
  if (!newest) return
  const facts = unknown.map(({ fact }) => fact).join(', ')
  const message = `This version of daikon, whose last migration is ${version}, would decide wrongly about ${facts} in the database. Start a version that has migration ${newest.migration}, or remove these with one first.`
  throw Object.assign(new Error(message), { code: 'NEWER_FACTS' })
}
