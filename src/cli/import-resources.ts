import type { RegisterResourceRequest } from '../../gen/daikon/v1/permissions.ts'
import type { OnProgress } from '../admin/import/report.ts'
import type { ImportStore } from '../admin/store/import-store.ts'
import { normalizeEmail } from '../core/email.ts'
import { type FieldViolation, ServiceError } from '../core/errors.ts'
import type { QuotaContext } from '../core/quotas.ts'
import { reasons as coreReasons } from '../core/reasons.ts'
import type { WriteContext } from '../core/request-context.ts'
import type { ErrorNaming } from '../permissions/error-naming.ts'
import { type RegistrationStores, registerAll } from '../permissions/register-all.ts'
import {
  indexByKey,
  keyOf,
  type Registration,
  readRegistrations,
} from '../permissions/registration.ts'
import type { PrincipalStore } from '../permissions/store/principal-store.ts'
import {
  batchSize,
  createLineNaming,
  describeLineErrors,
  findItemViolations,
} from './line-errors.ts'
import type { FileLine } from './record-file.ts'

export type ImportResult = { registered: number; unchanged: number }

type Context = WriteContext<RegistrationStores & { imports: ImportStore }> & QuotaContext

/** Fields of a file, with the names that errors have for them. */
type Records = { records: Pick<FileLine, 'fields'>[]; naming: ErrorNaming }

/**
 * Registers the resources of a file like `registerRecords`. Importing the file again after an error
 * skips resources that are already registered, and so resumes at the batch with the error.
 *
 * @throws Error that lists the lines with errors and the number of registered resources
 */
export async function importResources(
  context: Context,
  lines: FileLine[],
  onProgress: OnProgress,
): Promise<ImportResult> {
  const result: ImportResult = { registered: 0, unchanged: 0 }
  try {
    const file = { records: lines, naming: createLineNaming(lines) }
    await registerRecords(context, file, onProgress, result)
    return result
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new Error([...describeLineErrors(error), describeProgress(result)].join('\n'), {
      cause: error,
    })
  }
}

/**
 * Registers resources in batches, parents first, and adds them to `result`. Each batch is one
 * transaction.
 *
 * @throws ServiceError for the first batch with an error
 */
export async function registerRecords(
  { stores, quotas }: Context,
  { records, naming }: Records,
  onProgress: OnProgress,
  result: ImportResult,
): Promise<void> {
  const requests = await resolveWorkspaces(stores, records, naming)
  requireValidFields(requests, naming)
  const registrations = sortByDepth(await readRegistrations(stores, requests, naming))
  for (let start = 0; start < registrations.length; start += batchSize) {
    onProgress('Writing', start, registrations.length)
    const batch = registrations.slice(start, start + batchSize)
    const { created } = await registerAll(stores, batch, {
      naming,
      quotas,
      actor: { actorId: undefined },
    })
    result.registered += created
    result.unchanged += batch.length - created
  }
  if (result.registered > 0) await stores.registrations.analyze()
}

function describeProgress({ registered }: ImportResult): string {
  if (registered === 0) return 'No resources were registered.'
  return `${registered} resources were registered. Import the file again to register the others.`
}

/**
 * Replaces `workspace_slug` with the ID of the workspace, and reports unknown workspaces and owners
 * together.
 */
async function resolveWorkspaces(
  { imports, principals }: { imports: ImportStore; principals: PrincipalStore },
  records: Records['records'],
  { field }: ErrorNaming,
): Promise<object[]> {
  const slugs = new Set(records.map(({ fields }) => fields.workspace_slug).filter(isText))
  const workspaces = await imports.findWorkspaces([...slugs])
  const workspaceIds = new Map(workspaces.map(({ slug, id }) => [slug, id]))
  const emails = records.flatMap(({ fields }) => emailOf(fields) ?? [])
  const { byEmail } = await principals.findUsers({ emails, externalIds: [] })

  const violations: FieldViolation[] = []
  const requests = records.map(({ fields }, index) => {
    const { workspace_slug, ...request } = fields
    const email = emailOf(fields)
    if (email !== undefined && !byEmail.has(email))
      violations.push({ field: field(index, 'owner_email'), message: 'does not exist' })
    if (workspace_slug === undefined) return request
    const workspace_id = workspaceIds.get(String(workspace_slug))
    const message =
      request.workspace_id !== undefined
        ? 'must not be combined with workspace_id'
        : workspace_id === undefined && 'does not exist'
    if (message) violations.push({ field: field(index, 'workspace_slug'), message })
    return { ...request, workspace_id }
  })
  requireNoViolations(violations)
  return requests
}

/** Returns the address of the owner if it is a valid one. */
function emailOf({ owner_email }: FileLine['fields']): string | undefined {
  return isText(owner_email) ? normalizeEmail(owner_email) : undefined
}

/** Applies the field rules of RegisterBatch. */
function requireValidFields(
  requests: object[],
  { field }: ErrorNaming,
): asserts requests is RegisterResourceRequest[] {
  const found = findItemViolations('registerBatch', 'resources', requests)
  requireNoViolations(
    found.map(({ index, field: name, message }) => ({ field: field(index, name), message })),
  )
}

function requireNoViolations(violations: FieldViolation[]): void {
  if (violations.length === 0) return
  throw new ServiceError(coreReasons.INVALID_REQUEST, 'The file is invalid', {
    violations,
  })
}

/** Sorts registrations by their number of ancestors in the file, so that parents come first. */
function sortByDepth(registrations: Registration[]): Registration[] {
  const indexes = indexByKey(registrations)
  const depths: number[] = []
  for (const start of registrations.keys()) {
    const path: number[] = []
    let index: number | undefined = start
    while (index !== undefined && depths[index] === undefined) {
      path.push(index)
      const parent: Registration['parent'] = registrations[index]?.parent
      index = parent && indexes.get(keyOf(parent))
    }
    let depth = index === undefined ? 0 : (depths[index] ?? 0) + 1
    for (const step of path.toReversed()) {
      depths[step] = depth
      depth += 1
    }
  }
  return registrations.toSorted((a, b) => (depths[a.index] ?? 0) - (depths[b.index] ?? 0))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
