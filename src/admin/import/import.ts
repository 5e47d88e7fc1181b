import { setImmediate } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { CsvImportReport, CsvImportRequest } from '../../../gen/daikon/v1/admin_import.ts'
import { type Acting, actorOf } from '../../rpc/call.ts'
import { Fault } from '../../rpc/fault.ts'
import { violates } from '../../storage/storage-fault.ts'
import { inTransaction } from '../../storage/transaction.ts'
import { findWorld, holdWorkspaces, type Ids, learn, lesson } from './known.ts'
import { type Plan, type Row, startPlan } from './plan.ts'
import type { Tell } from './progress.ts'
import { createReport } from './report.ts'
import { readSheet, type Sheet } from './sheet.ts'
import { inTurn } from './turn.ts'
import { writeEffects } from './write.ts'

/** Rows planned before others have their turn. */
const turn = 500

/** Tells what an import would change. */
export async function previewCsvImport(
  { em }: Acting,
  { csv }: CsvImportRequest,
  tell: Tell = () => {},
): Promise<CsvImportReport> {
  const { columns, rows } = await readSheet(csv, tell)
  const { plan } = await planRows(em, rows, tell)
  return createReport(columns, plan)
}

/** Imports a file in one transaction, or nothing of it where a row has an error. */
export async function executeCsvImport(
  { em, caller }: Acting,
  { csv }: CsvImportRequest,
  tell: Tell = () => {},
): Promise<CsvImportReport> {
  let sheet: Sheet | undefined = await readSheet(csv, tell)
  return inTurn(() =>
    inTransaction(em, async (em) => {
      // A transaction that is tried again reads again what the try before has let go of.
      const { columns, rows } = sheet ?? (await readSheet(csv, tell))
      sheet = undefined
      await holdWorkspaces(em, rows)
      const { plan, ids } = await planRows(em, rows, tell)
      const report = createReport(columns, plan)
      requireNoErrors(report)
      await writeEffects(em, actorOf(caller), plan, ids, report, tell).catch((error) => {
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
  tell: Tell,
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

function changedMeanwhile(): Fault {
  const detail = 'A group or person that the file names was deleted meanwhile: import it again'
  return new Fault('conflict', 'CHANGED_MEANWHILE', detail)
}

/** Every error that the report lists, found by its line. */
function requireNoErrors({ summary, rows }: CsvImportReport): void {
  if (!summary?.errors) return
  const detail = `${summary.errors} of ${summary.rows} rows have errors; nothing is imported`
  const problems = rows.flatMap(({ line, errors }) =>
    errors.map(({ field, message }) => ({
      field: field ? `csv[${line}].${field}` : `csv[${line}]`,
      message,
    })),
  )
  throw new Fault('invalid', 'ROWS_HAVE_ERRORS', detail, { problems })
}
