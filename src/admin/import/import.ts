import { setImmediate } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { CsvImportReport, CsvImportRequest } from '../../../gen/daikon/v1/admin_import.ts'
import { actorOf } from '../../activity/record-activity.ts'
import { ServiceError } from '../../core/errors.ts'
import type { WriteContext } from '../../core/request-context.ts'
import { violates } from '../../database/database-errors.ts'
import { inTransaction } from '../../database/transaction.ts'
import { type ParsedCsv, parseCsv } from './csv-parser.ts'
import { enqueueImport } from './import-queue.ts'
import type { OnProgress } from './on-progress.ts'
import { type Plan, type Row, startPlan } from './plan.ts'
import { createReport } from './report.ts'
import { findWorld, holdWorkspaces, type Ids, learn, lesson } from './snapshot.ts'
import { writeEffects } from './write.ts'

/** Rows planned before others have their turn. */
const turn = 500

/** Tells what an import would change. */
export async function previewCsvImport(
  { em }: WriteContext,
  { csv }: CsvImportRequest,
  tell: OnProgress = () => {},
): Promise<CsvImportReport> {
  const { columns, rows } = await parseCsv(csv, tell)
  const { plan } = await planRows(em, rows, tell)
  return createReport(columns, plan)
}

/** Imports a file in one transaction, or nothing of it where a row has an error. */
export async function executeCsvImport(
  { em, principal }: WriteContext,
  { csv }: CsvImportRequest,
  tell: OnProgress = () => {},
): Promise<CsvImportReport> {
  let sheet: ParsedCsv | undefined = await parseCsv(csv, tell)
  return enqueueImport(() =>
    inTransaction(em, async (em) => {
      // A transaction that is tried again reads again what the try before has let go of.
      const { columns, rows } = sheet ?? (await parseCsv(csv, tell))
      sheet = undefined
      await holdWorkspaces(em, rows)
      const { plan, ids } = await planRows(em, rows, tell)
      const report = createReport(columns, plan)
      requireNoErrors(report)
      await writeEffects(em, actorOf(principal), plan, ids, report, tell).catch((error) => {
        throw violates(error, 'foreign') ? changedMeanwhile() : error
      })
      return report
    }),
  )
}

/** Plans rows in batches, and lets go of them. */
async function planRows(
  em: EntityManager,
  rows: Row[],
  tell: OnProgress,
): Promise<{ plan: Plan; ids: Ids }> {
  const world = await findWorld(em, rows)
  const planning = startPlan(world.known)
  for (const all = rows.length; rows.length > 0; ) {
    tell('Comparing', all - rows.length, all)
    const some = rows.splice(0, lesson)
    await learn(em, some, world)
    for (const [at, row] of some.entries()) {
      planning.add(row)
      if (at % turn === 0) await setImmediate()
    }
  }
  return { plan: planning.end(), ids: world.ids }
}

function changedMeanwhile(): ServiceError {
  const detail = 'A group or person that the file names was deleted meanwhile: import it again'
  return new ServiceError('already_exists', 'CHANGED_MEANWHILE', detail)
}

/** Every error that the report lists, found by its line. */
function requireNoErrors({ summary, rows }: CsvImportReport): void {
  if (!summary?.errors) return
  const detail = `${summary.errors} of ${summary.rows} rows have errors; nothing is imported`
  const violations = rows.flatMap(({ line, errors }) =>
    errors.map(({ field, message }) => ({
      field: field ? `csv[${line}].${field}` : `csv[${line}]`,
      message,
    })),
  )
  throw new ServiceError('invalid_argument', 'ROWS_HAVE_ERRORS', detail, { violations })
}
