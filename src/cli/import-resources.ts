import type { RegisterResourceRequest } from '../../gen/daikon/v1/permissions.ts'
import { normalizeEmail } from '../core/email.ts'
import { type FieldViolation, ServiceError } from '../core/errors.ts'
import type { OnProgress } from '../core/on-progress.ts'
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
import { findRegistrationErrors } from '../permissions/registration-checks.ts'
import type { PrincipalStore } from '../permissions/store/principal-store.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import {
  batchSize,
  createLineNaming,
  describeLineErrors,
  describeViolations,
  findItemViolations,
  listLineErrors,
} from './line-errors.ts'
import type { FileLine } from './record-file.ts'

export type ImportResult = { registered: number; unchanged: number }

type Context = WriteContext<RegistrationStores & { workspaces: WorkspaceStore }> & QuotaContext

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
  const { requests, problems } = await readRequests(stores, records)
  requireNoProblems(problems, naming)
  const registrations = sortByDepth(
    await readRegistrations(stores, requests as RegisterResourceRequest[], naming),
  )
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

/**
 * Returns everything that is wrong with a file, without registering anything, and what
 * `importResources` would do if nothing is.
 */
export async function checkResources(
  { stores, quotas }: Context,
  lines: FileLine[],
): Promise<ImportResult & { problems: string[] }> {
  const { requests, problems } = await readRequests(stores, lines)
  const invalid = new Set(problems.map(({ index }) => index))
  const isValid = (_item: unknown, index: number) => !invalid.has(index)
  const naming = createLineNaming(lines.filter(isValid), (found) => found)
  const found = describeViolations(nameViolations(problems, createLineNaming(lines)))
  let registrations: Registration[]
  try {
    const valid = requests.filter(isValid) as RegisterResourceRequest[]
    registrations = sortByDepth(await readRegistrations(stores, valid, naming))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error
    return { registered: 0, unchanged: 0, problems: [...found, ...listLineErrors(error)] }
  }
  // Parents may be on lines that are invalid.
  if (invalid.size > 0)
    registrations = registrations.map((item) => ({ ...item, parent: undefined }))
  const { existing, errors } = await findRegistrationErrors(stores, registrations, {
    naming,
    quotas,
  })
  return {
    registered: registrations.length - existing,
    unchanged: existing,
    problems: [...found, ...errors.flatMap(listLineErrors)],
  }
}

function describeProgress({ registered }: ImportResult): string {
  if (registered === 0) return 'No resources were registered.'
  return `${registered} resources were registered. Import the file again to register the others.`
}

/** A violation of the record at an index. */
type RecordViolation = FieldViolation & { index: number }

type Requests = { requests: object[]; problems: RecordViolation[] }

/** Returns the requests of records, and unknown workspaces and owners and invalid fields together. */
async function readRequests(
  stores: { workspaces: WorkspaceStore; principals: PrincipalStore },
  records: Records['records'],
): Promise<Requests> {
  const { requests, problems } = await resolveWorkspaces(stores, records)
  const unresolved = new Set(problems.map(({ index }) => index))
  // The field rules of RegisterBatch. A line with an unknown workspace has no `workspace_id`.
  const invalid = findItemViolations('registerBatch', 'resources', requests).filter(
    ({ index, field }) => field !== 'workspace_id' || !unresolved.has(index),
  )
  return { requests, problems: [...problems, ...invalid].toSorted((a, b) => a.index - b.index) }
}

/** Replaces `workspace_slug` with the ID of the workspace. Returns unknown workspaces and owners. */
async function resolveWorkspaces(
  stores: { workspaces: WorkspaceStore; principals: PrincipalStore },
  records: Records['records'],
): Promise<Requests> {
  const slugs = new Set(records.map(({ fields }) => fields.workspace_slug).filter(isText))
  const workspaces = await stores.workspaces.findBySlugs([...slugs])
  const workspaceIds = new Map(workspaces.map(({ slug, id }) => [slug, id]))
  const emails = records.flatMap(({ fields }) => emailOf(fields) ?? [])
  const { byEmail } = await stores.principals.findUsers({ emails, externalIds: [] })

  const problems: RecordViolation[] = []
  const requests = records.map(({ fields }, index) => {
    const { workspace_slug, ...request } = fields
    const email = emailOf(fields)
    if (email !== undefined && !byEmail.has(email))
      problems.push({ index, field: 'owner_email', message: 'does not exist' })
    if (workspace_slug === undefined) return request
    const workspace_id = workspaceIds.get(String(workspace_slug))
    const message =
      request.workspace_id !== undefined
        ? 'must not be combined with workspace_id'
        : workspace_id === undefined && 'does not exist'
    if (message) problems.push({ index, field: 'workspace_slug', message })
    return { ...request, workspace_id }
  })
  return { requests, problems }
}

/** Returns the address of the owner if it is a valid one. */
function emailOf({ owner_email }: FileLine['fields']): string | undefined {
  return isText(owner_email) ? normalizeEmail(owner_email) : undefined
}

function requireNoProblems(problems: RecordViolation[], naming: ErrorNaming): void {
  if (problems.length === 0) return
  throw new ServiceError(coreReasons.INVALID_REQUEST, 'The file is invalid', {
    violations: nameViolations(problems, naming),
  })
}

function nameViolations(problems: RecordViolation[], { field }: ErrorNaming): FieldViolation[] {
  return problems.map(({ index, field: name, message }) => ({ field: field(index, name), message }))
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
