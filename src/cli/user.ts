import { Command } from 'commander'
import { callAdminApi, overNetwork, requireUserId, withAdminApi } from './admin-api.ts'
import { formatTable, print } from './output.ts'

const userArgument = ['<user>', 'e-mail address or ID of the user'] as const

export function userCommand(): Command {
  const command = new Command('user').description('find, export, deactivate and delete users')

  overNetwork(command.command('find'))
    .description('list the first 100 users whose name or e-mail address contains a text')
    .argument('<text>', 'part of a name or e-mail address')
    .action(async (text: string, _options, command) => {
      const request = { page: 1, page_size: 100, q: text }
      const { items } = await callAdminApi(command, 'listUsers', request)
      const rows = items.map(({ id, email, name, is_active, is_admin }) => {
        return { id, email, name, is_active, is_admin }
      })
      print(command, rows, formatTable(rows))
    })

  overNetwork(command.command('show'))
    .description('print a user with accounts, memberships, groups, roles and sessions')
    .argument(...userArgument)
    .action(async (key: string, _options, command) => {
      const user = await withAdminApi(command, async (api) =>
        api('getUser', { user_id: await requireUserId(api, key) }),
      )
      print(command, user, [JSON.stringify(user, null, 2)])
    })

  overNetwork(command.command('export'))
    .description('print all data about a user as JSON')
    .argument(...userArgument)
    .action(async (key: string, _options, command) => {
      const data = await withAdminApi(command, async (api) =>
        api('exportUser', { user_id: await requireUserId(api, key) }),
      )
      print(command, data, [JSON.stringify(data, null, 2)])
    })

  overNetwork(command.command('delete'))
    .description('erase a user; workspaces without other members are deleted')
    .argument(...userArgument)
    .option('--transfer-to <user>', 'user who receives the resources in other workspaces')
    .action(async (key: string, { transferTo }: { transferTo?: string }, command) => {
      const { user_id, kept_elsewhere } = await withAdminApi(command, async (api) => {
        const user_id = await requireUserId(api, key)
        const transfer_to = transferTo && (await requireUserId(api, transferTo))
        const request = { user_id, ...(transfer_to && { transfer_to }) }
        // A server omits the header of an empty list.
        const { kept_elsewhere = [] } = await api('deleteUser', request)
        return { user_id, kept_elsewhere }
      })
      print(command, { user_id, kept_elsewhere }, [
        `Deleted the user ${user_id}.`,
        ...kept_elsewhere.map(
          ({ kind, count }) => `Still named by ${kind}: ${count ?? 'not counted'}`,
        ),
      ])
    })

  overNetwork(command.command('deactivate'))
    .description('prevent a user from signing in and end every session')
    .argument(...userArgument)
    .action((key: string, _options, command) => changeStatus(command, key, false))

  overNetwork(command.command('activate'))
    .description('let a deactivated user sign in again')
    .argument(...userArgument)
    .action((key: string, _options, command) => changeStatus(command, key, true))

  overNetwork(command.command('update'))
    .description('correct the e-mail address of a user')
    .argument(...userArgument)
    .requiredOption('--email <address>', 'the correct address')
    .option('--reason <text>', 'why; required if the user has signed in before')
    .option('--keep-sign-in', 'keep linked accounts and sessions: it is the same person')
    .action(async (key: string, { email, reason, keepSignIn }: Correction, command) => {
      const user = await withAdminApi(command, async (api) =>
        api('updateUser', {
          user_id: await requireUserId(api, key),
          email,
          ...(reason && { reason }),
          ...(keepSignIn && { keep_sign_in: true }),
        }),
      )
      print(command, { id: user.id, email: user.email }, [`The address is ${user.email}.`])
    })

  return command
}

type Correction = { email: string; reason?: string; keepSignIn?: true }

async function changeStatus(command: Command, key: string, is_active: boolean): Promise<void> {
  const { id, email } = await withAdminApi(command, async (api) =>
    api('updateUser', { user_id: await requireUserId(api, key), is_active }),
  )
  const line = `${email} is ${is_active ? 'active' : 'inactive'}.`
  print(command, { id, email, is_active }, [line])
}
