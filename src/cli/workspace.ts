import { Command } from 'commander'
import { callAdminApi, overNetwork, requireWorkspaceId, withAdminApi } from './admin-api.ts'
import { UsageError } from './failure.ts'
import { formatTable, print } from './output.ts'
import { addMemberCommands } from './workspace-members.ts'

export function workspaceCommand(): Command {
  const command = new Command('workspace').description('manage workspaces')

  overNetwork(command.command('list'))
    .description('list all workspaces, by name')
    .action(async (_options, command) => {
      const { workspaces } = await callAdminApi(command, 'listAllWorkspaces', {})
      print(command, workspaces, formatTable(workspaces))
    })

  addMemberCommands(command)

  overNetwork(command.command('create'))
    .description('create a workspace and invite its owner')
    .requiredOption('--slug <slug>', 'slug, 2 to 63 characters: lower-case letters, digits and -')
    .requiredOption('--name <name>', 'name, 1 to 200 characters')
    .requiredOption('--owner <e-mail>', 'e-mail address of the owner, who is invited')
    .option('--description <text>', 'description, at most 2,000 characters')
    .action(async ({ owner, ...fields }: NewWorkspace, command) => {
      const { requireValid } = await import('./require-valid.ts')
      const request = requireValid('createWorkspace', { ...fields })
      const { workspace, link } = await withAdminApi(
        command,
        async (api) => {
          const created = await api('createWorkspace', request)
          const invitation = { workspace_id: created.id, email: owner, role: 'owner' }
          const invited = await api('inviteMember', invitation)
          return { workspace: created, link: invited.invitation_url }
        },
        { atomic: true },
      )
      const text = [`Created ${workspace.slug} (${workspace.id}); invited ${owner}.`]
      if (link) text.push(`The invitation, valid for seven days: ${link}`)
      print(command, { ...workspace, ...(link && { invitation_url: link }) }, text)
    })

  overNetwork(command.command('update'))
    .description('change the name or description of a workspace')
    .argument('<slug>', 'slug of the workspace')
    .option('--name <name>', 'new name')
    .option('--description <text>', 'new description')
    .action(async (slug: string, changes: { name?: string; description?: string }, command) => {
      if (Object.keys(changes).length === 0)
        throw new UsageError('Nothing to change: use --name or --description')
      const workspace = await withAdminApi(command, async (api) => {
        const workspace_id = await requireWorkspaceId(api, slug)
        return api('updateWorkspace', { workspace_id, ...changes })
      })
      print(command, workspace, [`Updated ${slug}.`])
    })

  overNetwork(command.command('delete'))
    .description('delete a workspace with its groups, roles, resources and sessions')
    .argument('<slug>', 'slug of the workspace')
    .action(async (slug: string, _options, command) => {
      const id = await withAdminApi(command, async (api) => {
        const workspace_id = await requireWorkspaceId(api, slug)
        await api('deleteWorkspace', { workspace_id })
        return workspace_id
      })
      print(command, { id, slug }, [`Deleted ${slug}.`])
    })

  return command
}

type NewWorkspace = { slug: string; name: string; owner: string; description?: string }
