import type { LogFailure } from '../core/log-failure.ts'
import type { Database } from '../database/database.ts'
import { createReadPosition } from './store/read-position.ts'

type Dependencies = { database: Pick<Database, 'statements'>; logFailure: LogFailure }

/** Creates what access keys bring to other features. */
export function createAccessKeyServices({ database, logFailure }: Dependencies) {
  return { readPosition: createReadPosition(database.statements, logFailure) }
}
