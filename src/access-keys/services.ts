import type { LogFailure } from '../core/log-failure.ts'
import type { Database } from '../database/database.ts'
import { createReadPosition } from './store/read-position.ts'
import { createResourceChangeStore } from './store/resource-change-store.ts'
import { createResourceStateStore } from './store/resource-state-store.ts'
import { createWatchAccess } from './watch/watch-access.ts'

type Dependencies = { database: Pick<Database, 'statements'>; logFailure: LogFailure }

/** Creates what access keys need as long as a node runs. */
export function createAccessKeyServices({ database: { statements }, logFailure }: Dependencies) {
  const resourceChanges = createResourceChangeStore(statements)
  return {
    readPosition: createReadPosition(statements, logFailure),
    resourceChanges,
    watchAccess: createWatchAccess({
      changes: resourceChanges,
      states: createResourceStateStore(statements),
      // Open watches continue with the next attempt.
      onFailure: logFailure('Reading changed resources failed'),
    }),
  }
}
