import type { Command } from 'commander'
import { isUuid } from '../core/uuid.ts'
import {
  type AdminApi,
  handlers,
  type MethodKey,
  type RequestOf,
  type ResponseOf,
} from './admin-handlers.ts'
import { UsageError } from './failure.ts'
import { type OperatorContext, withDatabase } from './session.ts'

/** The commands that also run on a server. */
const networked = new WeakSet<Command>()

/** Declares that a command uses `withAdminApi` and nothing else, so that it also runs on a server. */
export function overNetwork(command: Command): Command {
  networked.add(command)
  return command
}

/** Rejects `--server` for a command that works on the database or on files. */
export function requireNetworked(command: Command): void {
  if (command.optsWithGlobals().server === undefined || networked.has(command)) return
  throw new UsageError(
    `daikon ${command.parent?.name()} ${command.name()} needs the database: run it without --server, with the settings of a node`,
  )
}

/**
 * Runs calls of AdminService: on the server that `--server` names, or else on the database. `atomic`
 * makes the calls on the database one transaction; calls on a server always end one by one.
 */
export async function withAdminApi<Result>(
  command: Command,
  work: (api: AdminApi) => Promise<Result>,
  { atomic = false } = {},
): Promise<Result> {
  const { server } = command.optsWithGlobals<{ server?: string }>()
  if (server !== undefined) {
    const { connectToServer } = await import('./remote-admin-api.ts')
    return work(await connectToServer(server, process.env))
  }
  return withDatabase(({ operator }) =>
    atomic
      ? operator.stores.transaction((stores) => work(createLocalApi({ ...operator, stores })))
      : work(createLocalApi(operator)),
  )
}

function createLocalApi(operator: OperatorContext): AdminApi {
  return async (key, request, ...more) => {
    const { requireValid } = await import('./require-valid.ts')
    const handler = (await handlers[key]()) as (...parameters: unknown[]) => never
    return handler(operator, requireValid(key, request), ...more)
  }
}

/** Validates a request, then calls an AdminService method. */
export async function callAdminApi<Key extends MethodKey>(
  command: Command,
  key: Key,
  request: RequestOf<Key>,
): Promise<ResponseOf<Key>> {
  const { requireValid } = await import('./require-valid.ts')
  requireValid(key, request)
  return withAdminApi(command, (api) => api(key, request))
}

/** The maximum number of items on a page. */
const pageSize = 100

/** Finds a workspace by its slug. */
export async function requireWorkspaceId(api: AdminApi, slug: string): Promise<string> {
  const workspaces = await readPages((page) => api('listWorkspaces', { ...page, q: slug }))
  const found = workspaces.find((workspace) => workspace.slug === slug)
  if (found) return found.id
  const { workspaceNotFound } = await import('../workspaces/workspaces.ts')
  throw workspaceNotFound()
}

/** Returns all pages of a list. The last one is not full. */
export async function readPages<Item>(
  read: (page: { page: number; page_size: number }) => Promise<{ items: Item[] }>,
): Promise<Item[]> {
  const found: Item[] = []
  for (let page = 1; ; page += 1) {
    const { items } = await read({ page, page_size: pageSize })
    found.push(...items)
    if (items.length < pageSize) return found
  }
}

/** Finds a user by ID or e-mail address. */
export async function requireUserId(api: AdminApi, key: string): Promise<string> {
  if (isUuid(key)) return key.toLowerCase()
  const { normalizeEmail } = await import('../core/email.ts')
  const email = normalizeEmail(key)
  if (!email) throw new UsageError(`${key} is neither an e-mail address nor a user ID`)
  const users = await readPages((page) => api('listUsers', { ...page, q: email.slice(0, 100) }))
  const found = users.find((user) => user.email === email)
  if (found) return found.id
  const { userNotFound } = await import('../identity/user-errors.ts')
  throw userNotFound()
}
