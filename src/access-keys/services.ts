import type { LogFailure } from '../core/log-failure.ts'
import type { Database } from '../database/database.ts'
import { createReadPosition } from './store/read-position.ts'
import { createResourceChangeStore } from './store/resource-change-store.ts'
import { createWatchAccess } from './watch/watch-access.ts'

type Dependencies = { database: Pick<Database, 'statements'>; logFailure: LogFailure }

/** Creates what access keys need as long as a node runs. */
export function createAccessKeyServices({ database: { statements }, logFailure }: Dependencies) {
  return {
    readPosition: createReadPosition(statements, logFailure),
    resourceChanges: createResourceChangeStore(statements),
    watchAccess: createWatchAccess({
      statements,
      // Open watches continue with the next attempt.
      onFailure: logFailure('Reading changed resources failed'),
    }),
  }
}
