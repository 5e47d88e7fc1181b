import { type Command, Option } from 'commander'
import { roles } from '../core/roles.ts'
import {
  overNetwork,
  readPages,
  requireUserId,
  requireWorkspaceId,
  withAdminApi,
} from './admin-api.ts'
import { UsageError } from './failure.ts'
import { formatTable, print } from './output.ts'

const workspaceArgument = ['<slug>', 'slug of the workspace'] as const

/** Adds the commands about the members of a workspace to `daikon workspace`. */
export function addMemberCommands(command: Command): void {
  overNetwork(command.command('members'))
    .description('list the members of a workspace')
    .argument(...workspaceArgument)
    .option('--guest', 'list only guests')
    .option('--no-guest', 'list only members who are not guests')
    .action(async (slug: string, { guest }: { guest?: boolean }, command) => {
      const members = await withAdminApi(command, async (api) => {
        const workspace_id = await requireWorkspaceId(api, slug)
        return readPages(async (page) => {
          const { members } = await api('listMembers', { workspace_id, guest, ...page })
          return { items: members }
        })
      })
      const rows = members.map(
        ({ user_id, email, name, role, guest, status, expires_at = '' }) => ({
          user_id,
          email,
          name,
          role,
          guest,
          status,
          expires_at,
        }),
      )
      print(command, rows, formatTable(rows))
    })

  overNetwork(command.command('invite'))
    .description('invite a person to a workspace, or change a pending invitation')
    .argument(...workspaceArgument)
    .argument('<e-mail>', 'e-mail address of the person')
    .addOption(roleOption().conflicts('guest'))
    .option('--guest', 'invite a guest: a viewer who does not see what is visible to all members')
    .action(async (slug: string, email: string, { role, guest }: Terms, command) => {
      const member = await withAdminApi(command, async (api) => {
        const workspace_id = await requireWorkspaceId(api, slug)
        return api('inviteMember', { workspace_id, email, role, guest })
      })
      const text = [`Invited ${member.email} as ${describe(member)}.`]
      if (member.invitation_url)
        text.push(`The invitation, valid for seven days: ${member.invitation_url}`)
      print(command, member, text)
    })

  overNetwork(command.command('update-member'))
    .description('change the role of a member, or whether the member is a guest')
    .argument(...workspaceArgument)
    .argument('<user>', 'e-mail address or ID of the user')
    .addOption(roleOption())
    .option('--guest', 'make the member a guest, whose role is viewer')
    .option('--no-guest', 'let the member see again what is visible to all members')
    .action(async (slug: string, key: string, { role, guest }: Terms, command) => {
      if (role === undefined && guest === undefined)
        throw new UsageError('Nothing to change: use --role, --guest or --no-guest')
      const member = await withAdminApi(command, async (api) => {
        const workspace_id = await requireWorkspaceId(api, slug)
        const user_id = await requireUserId(api, key)
        return api('updateMember', { workspace_id, user_id, role: role ?? '', guest })
      })
      print(command, member, [`${member.email} is now ${describe(member)} of ${slug}.`])
    })
}

type Terms = { role?: string; guest?: boolean }

function roleOption(): Option {
  return new Option('--role <role>', 'role in the workspace').choices([...roles])
}

function describe({ role, guest }: { role: string; guest: boolean }): string {
  if (guest) return 'a guest'
  return `${/^[aeo]/.test(role) ? 'an' : 'a'} ${role}`
}
