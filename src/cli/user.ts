import type { EntityManager } from '@mikro-orm/postgresql'
import { Command } from 'commander'
import { normalizeEmail } from '../core/email.ts'
import { isUuid } from '../core/uuid.ts'
import { userNotFound } from '../identity/user-errors.ts'
import { UsageError } from './failure.ts'
import { formatTable, print } from './output.ts'
import { withDatabase } from './session.ts'

const userArgument = ['<user>', 'e-mail address or ID of the user'] as const

export function userCommand(): Command {
  const command = new Command('user').description('find, export, deactivate and delete users')

  command
    .command('find')
    .description('list the first 100 users whose name or e-mail address contains a text')
    .argument('<text>', 'part of a name or e-mail address')
    .action(async (text: string, _options, command) => {
      const { findUserPage } = await import('../admin/queries.ts')
      const { items } = await withDatabase(({ em }) =>
        findUserPage(em, { page: 1, page_size: 100 }, { q: text }),
      )
      const rows = items.map(({ id, email, name, is_active, is_admin }) => ({
        id,
        email,
        name,
        is_active,
        is_admin,
      }))
      print(command, rows, formatTable(rows))
    })

  command
    .command('show')
    .description('print a user with accounts, memberships, groups, roles and sessions')
    .argument(...userArgument)
    .action(async (key: string, _options, command) => {
      const { requireUserDetail } = await import('../admin/users.ts')
      const user = await withDatabase(async ({ em }) =>
        requireUserDetail(em, new Date(), await requireUserId(em, key)),
      )
      print(command, user, [JSON.stringify(user, null, 2)])
    })

  command
    .command('export')
    .description('print all data about a user as JSON')
    .argument(...userArgument)
    .action(async (key: string, _options, command) => {
      const { exportUser } = await import('../admin/export-user.ts')
      const data = await withDatabase(async ({ em, operator }) => {
        const user_id = await requireUserId(em, key)
        return exportUser({ ...operator, now: new Date() }, { user_id })
      })
      print(command, data, [JSON.stringify(data, null, 2)])
    })

  command
    .command('delete')
    .description('erase a user; workspaces without other members are deleted')
    .argument(...userArgument)
    .option('--transfer-to <user>', 'user who receives the resources in other workspaces')
    .action(async (key: string, { transferTo }: { transferTo?: string }, command) => {
      const { deleteUser } = await import('../admin/delete-user.ts')
      const user_id = await withDatabase(async ({ em, operator }) => {
        const user_id = await requireUserId(em, key)
        const transfer_to = transferTo && (await requireUserId(em, transferTo))
        await deleteUser(
          { ...operator, now: new Date() },
          { user_id, ...(transfer_to && { transfer_to }) },
        )
        return user_id
      })
      print(command, { user_id }, [`Deleted the user ${user_id}.`])
    })

  command
    .command('deactivate')
    .description('prevent a user from signing in and end every session')
    .argument(...userArgument)
    .action((key: string, _options, command) => changeStatus(command, key, false))

  command
    .command('activate')
    .description('let a deactivated user sign in again')
    .argument(...userArgument)
    .action((key: string, _options, command) => changeStatus(command, key, true))

  return command
}

async function changeStatus(command: Command, key: string, is_active: boolean): Promise<void> {
  const { updateUser } = await import('../admin/user-status.ts')
  const { id, email } = await withDatabase(async ({ em, operator }) => {
    const user_id = await requireUserId(em, key)
    return updateUser({ ...operator, now: new Date() }, { user_id, is_active })
  })
  const line = `${email} is ${is_active ? 'active' : 'inactive'}.`
  print(command, { id, email, is_active }, [line])
}

/** Finds a user by ID or e-mail address. */
async function requireUserId(em: EntityManager, key: string): Promise<string> {
  if (isUuid(key)) return key.toLowerCase()
  const email = normalizeEmail(key)
  if (!email) throw new UsageError(`${key} is neither an e-mail address nor a user ID`)
  const { findUserIdByEmail } = await import('../admin/user-data-queries.ts')
  const id = await findUserIdByEmail(em, email)
  if (!id) throw userNotFound()
  return id
}
