import type { CsvImportReport, CsvImportRequest } from '../../gen/daikon/v1/admin_import.ts'
import { actorOf } from '../activity/actor.ts'
import { ServiceError } from '../core/errors.ts'
import type { OnProgress } from '../core/on-progress.ts'
import type { QuotaContext, Quotas } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { removeEndedMembersOf } from '../workspaces/member-expiry.ts'
import { type ApplyPlanStores, applyPlan } from './apply-plan.ts'
import { type ParsedCsv, parseCsv, takeImportTurn } from './csv-parser.ts'
import { createPlanner, type Plan } from './plan.ts'
import type { Row } from './plan-input.ts'
import { reasons } from './reasons.ts'
import { createReport } from './report.ts'
import {
  extendSnapshot,
  type Ids,
  loadSnapshot,
  lockForImport,
  snapshotBatchSize,
} from './snapshot.ts'
import type { ImportStore } from './store/import-store.ts'

/** The number of rows planned before yielding to the event loop. */
const rowsPerTurn = 100

/** Reports what an import would change. */
export async function previewCsvImport(
  { stores, quotas }: WriteContext<{ imports: ImportStore }> & QuotaContext,
  request: CsvImportRequest,
  onProgress: OnProgress = () => {},
): Promise<CsvImportReport> {
  const { columns, rows } = await parseCsv(request.csv, onProgress)
  const { plan } = await planRows(stores.imports, rows, quotas, request, onProgress)
  return createReport(columns, plan)
}

/** Imports a file in one transaction. Imports nothing if any row has an error. */
export async function executeCsvImport(
  {
    stores,
    principal,
    quotas,
    now,
  }: WriteContext<ApplyPlanStores & { sessions: SessionStore }> &
    Pick<RequestContext, 'now'> &
    QuotaContext,
  request: CsvImportRequest,
  onProgress: OnProgress = () => {},
): Promise<CsvImportReport> {
  let parsed: ParsedCsv | undefined = await parseCsv(request.csv, onProgress)
  return enqueueImport(() =>
    stores.transaction(async (tx) => {
      // `planRows` consumes the rows, so a retried transaction must parse the file again.
      const { columns, rows } = parsed ?? (await parseCsv(request.csv, onProgress))
      parsed = undefined
      const workspaceIds = await lockForImport(tx.imports, rows)
      await removeEndedMembersOf(tx, workspaceIds, now)
      const { plan, ids } = await planRows(tx.imports, rows, quotas, request, onProgress)
      const report = createReport(columns, plan)
      requireNoErrors(report)
      await applyPlan(tx, actorOf(principal), { plan, ids, onProgress }).catch((error) => {
        const isConflict = violates(error, 'foreign') || violates(error, 'unique')
        throw isConflict ? new ServiceError(reasons.CHANGED_MEANWHILE) : error
      })
      return report
    }),
  )
}

let lastImport: Promise<unknown> = Promise.resolve()

/**
 * Runs the imports of this node one after the other. Without the queue, each import would occupy a
 * connection while it waits for the lock in PostgreSQL.
 */
function enqueueImport<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = lastImport.then(work)
  lastImport = result.catch(() => {})
  return result
}

/** Plans the rows in batches. Removes them from `rows` to free memory. */
async function planRows(
  imports: ImportStore,
  rows: Row[],
  quotas: Quotas,
  { create_workspaces: createsWorkspaces }: CsvImportRequest,
  onProgress: OnProgress,
): Promise<{ plan: Plan; ids: Ids }> {
  const loaded = await loadSnapshot(imports, rows)
  const ownedSlugs = createsWorkspaces ? findOwnedSlugs(rows) : undefined
  const planner = createPlanner(loaded.snapshot, quotas, { ownedSlugs })
  const total = rows.length
  while (rows.length > 0) {
    onProgress('Comparing', total - rows.length, total)
    const batch = rows.splice(0, snapshotBatchSize)
    await extendSnapshot(imports, batch, loaded)
    for (const [index, row] of batch.entries()) {
      if (index % rowsPerTurn === 0) await takeImportTurn()
      planner.add(row)
    }
  }
  return { plan: planner.finish(), ids: loaded.ids }
}

/** Returns the slugs of the rows that make an owner. */
function findOwnedSlugs(rows: Row[]): Set<string> {
  const owners = rows.filter(({ role, errors }) => role === 'owner' && errors.length === 0)
  return new Set(owners.map(({ slug }) => slug))
}

function requireNoErrors({ summary, rows }: CsvImportReport): void {
  if (!summary?.errors) return
  const detail = `${summary.errors} of ${summary.rows} rows have errors; nothing was imported`
  const violations = rows.flatMap(({ line, errors }) =>
    errors.map(({ field, message }) => ({
      field: field ? `csv[${line}].${field}` : `csv[${line}]`,
      message,
    })),
  )
  throw new ServiceError(reasons.ROWS_HAVE_ERRORS, detail, { violations })
}
