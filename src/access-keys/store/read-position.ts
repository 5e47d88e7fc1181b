import type { LogFailure } from '../../core/log-failure.ts'
import type { ReadPosition } from '../../core/read-position.ts'
import { type RequestScope, requestScope } from '../../core/request-scope.ts'
import { withSpan } from '../../core/trace.ts'
import { createBatcher } from '../../database/batching.ts'
import { startFactsEpoch } from '../../database/facts-epoch.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { formatPosition, historyOf } from '../position.ts'

type Row = [identity: string | null, next: number]

/** Every transaction that has ended has a lower ID than `next`. */
const positionSql = `
select facts_identity(), pg_snapshot_xmax(pg_current_snapshot())::text::float8`

/**
 * Creates the function that reads a position before which is all that was committed before the call.
 * Concurrent callers share a statement, which begins after all of their calls. If it fails, that is logged
 * once, and they get none.
 *
 * @param statements run on the primary
 */
export function createReadPosition(statements: Statements, logFailure: LogFailure): ReadPosition {
  const onFailure = logFailure('Reading a position failed')

  const readRow = async () => {
    const [row] = await statements.rows<Row>('position', positionSql, [])
    return row as Row
  }

  async function read(): Promise<string | undefined> {
    let [identity, number] = await readRow()
    if (identity === null) {
      await startFactsEpoch(statements)
      ;[identity, number] = await readRow()
    }
    return identity === null ? undefined : formatPosition({ history: historyOf(identity), number })
  }

  const readShared = createBatcher<undefined, string | undefined>(
    async (callers) => {
      const { signal } = requestScope.getStore() as RequestScope
      const position = await read().catch((error) => {
        if (!signal.aborted) onFailure(error)
        return undefined
      })
      return callers.map(() => position)
    },
    { maxBatchRows: Number.MAX_SAFE_INTEGER },
  )

  // A caller that has been cancelled gets none.
  return (scope) =>
    withSpan(scope.span, 'position', { 'db.system.name': 'postgresql' }, () =>
      readShared(undefined, scope),
    ).catch(() => undefined)
}
