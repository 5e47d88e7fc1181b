import type { EntityManager } from '@mikro-orm/postgresql'
import type { RegisterResourceRequest } from '../../gen/daikon/v1/permissions.ts'
import type { OnProgress } from '../admin/import/report.ts'
import { normalizeEmail } from '../core/email.ts'
import { type FieldViolation, ServiceError } from '../core/errors.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { WriteContext } from '../core/request-context.ts'
import { query } from '../database/query.ts'
import { registerAll } from '../permissions/register-all.ts'
import {
  type ErrorNaming,
  indexByKey,
  keyOf,
  type Registration,
  readRegistrations,
} from '../permissions/registration.ts'
import { truncateLines } from './input-file.ts'
import { createRequestValidator } from './require-valid.ts'
import type { ResourceLine } from './resource-file.ts'

/** The number of resources that one transaction registers. */
const batchSize = 1000

export type ImportResult = { registered: number; unchanged: number }

/**
 * Registers the resources of a file in batches, parents first. Each batch is one transaction. The
 * import stops at the first batch with an error. Importing the file again skips resources that are
 * already registered, and so resumes at that batch.
 *
 * @throws Error that lists the lines with errors and the number of registered resources
 */
export async function importResources(
  { em, quotas }: WriteContext & QuotaContext,
  lines: ResourceLine[],
  onProgress: OnProgress,
): Promise<ImportResult> {
  const result: ImportResult = { registered: 0, unchanged: 0 }
  try {
    const naming = createLineNaming(lines)
    const requests = await resolveNames(em, lines, naming)
    requireValidFields(requests, naming)
    const registrations = sortByDepth(readRegistrations(requests, naming))
    for (let start = 0; start < registrations.length; start += batchSize) {
      onProgress('Writing', start, registrations.length)
      const batch = registrations.slice(start, start + batchSize)
      const { created } = await registerAll(em, batch, { naming, quotas })
      result.registered += created
      result.unchanged += batch.length - created
    }
    return result
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new Error([...describe(error), describeProgress(result)].join('\n'), { cause: error })
  }
}

/** Names fields in the form `Line 7: owner_id`. */
function createLineNaming(lines: ResourceLine[]): ErrorNaming {
  return {
    field: (index, name) => `Line ${lines[index]?.line}${name && `: ${name}`}`,
    detail: (fields, message) =>
      truncateLines(fields.map((field) => `${field}: ${message}`)).join('\n'),
  }
}

function describe({ message, violations }: ServiceError): string[] {
  if (violations.length === 0) return [message]
  return truncateLines(violations.map(({ field, message }) => `${field} ${message}`))
}

function describeProgress({ registered }: ImportResult): string {
  if (registered === 0) return 'No resources were registered.'
  return `${registered} resources were registered. Import the file again to register the others.`
}

/** Replaces `workspace_slug` and `owner_email` with the IDs of the workspace and the user. */
async function resolveNames(
  em: EntityManager,
  lines: ResourceLine[],
  { field }: ErrorNaming,
): Promise<object[]> {
  const slugs = new Set(lines.map(({ fields }) => fields.workspace_slug).filter(isText))
  const emails = new Set(lines.map(({ fields }) => toEmail(fields.owner_email)).filter(isText))
  type Row = { name: string; id: string }
  const findSlugs = 'select slug as name, id from workspaces where slug = any($1::text[])'
  const findEmails = 'select email as name, id from users where email = any($1::text[])'
  const workspaces = await query<Row>(em, findSlugs, [[...slugs]])
  const users = await query<Row>(em, findEmails, [[...emails]])
  const workspaceIds = new Map(workspaces.map(({ name, id }) => [name, id]))
  const userIds = new Map(users.map(({ name, id }) => [name, id]))

  const violations: FieldViolation[] = []
  const requests = lines.map(({ fields }, index) => {
    const { workspace_slug, owner_email, ...request } = fields
    const replace = (name: string, value: unknown, idName: string, id: string | undefined) => {
      if (value === undefined) return {}
      if (request[idName] !== undefined)
        violations.push({
          field: field(index, name),
          message: `must not be combined with ${idName}`,
        })
      else if (id === undefined)
        violations.push({ field: field(index, name), message: 'does not exist' })
      return { [idName]: id }
    }
    return {
      ...request,
      ...replace(
        'workspace_slug',
        workspace_slug,
        'workspace_id',
        workspaceIds.get(String(workspace_slug)),
      ),
      ...replace('owner_email', owner_email, 'owner_id', userIds.get(toEmail(owner_email) ?? '')),
    }
  })
  requireNoViolations(violations)
  return requests
}

/** Applies the field rules of RegisterBatch. */
function requireValidFields(
  requests: object[],
  { field }: ErrorNaming,
): asserts requests is RegisterResourceRequest[] {
  const validate = createRequestValidator('PermissionService', 'registerBatch')
  const found: { index: number; name: string; message: string }[] = []
  for (let start = 0; start < requests.length; start += batchSize) {
    try {
      validate({ resources: requests.slice(start, start + batchSize) })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      for (const { field, message } of error.violations) {
        const [, position = '', name = ''] = /^resources\[(\d+)\]\.?(.*)$/.exec(field) ?? []
        found.push({ index: start + Number(position), name, message })
      }
    }
  }
  const sorted = found.toSorted((a, b) => a.index - b.index)
  requireNoViolations(
    sorted.map(({ index, name, message }) => ({ field: field(index, name), message })),
  )
}

function requireNoViolations(violations: FieldViolation[]): void {
  if (violations.length === 0) return
  throw new ServiceError('invalid_argument', 'INVALID_REQUEST', 'The file is invalid', {
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

function toEmail(value: unknown): string | undefined {
  return isText(value) ? (normalizeEmail(value) ?? value) : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
