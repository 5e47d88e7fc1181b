import { Command } from 'commander'
import { overNetwork, requireWorkspaceId, withAdminApi } from './admin-api.ts'
import type { AdminApi } from './admin-handlers.ts'
import { formatTable, print } from './output.ts'

const workspaceArgument = ['<workspace>', 'slug of the workspace'] as const

/** `daikon group`: lists and nests the groups of a workspace. */
export function groupCommand(): Command {
  const command = new Command('group').description('list groups and put groups into groups')

  overNetwork(command.command('list'))
    .description('list the groups of a workspace with the groups that contain them')
    .argument(...workspaceArgument)
    .action(async (slug: string, _options, command) => {
      const rows = await withAdminApi(command, async (api) => {
        const workspace_id = await requireWorkspaceId(api, slug)
        const { groups } = await api('listGroups', { workspace_id })
        const parents = new Map<string, string[]>(groups.map(({ id }) => [id, []]))
        for (const { id: group_id, name } of groups) {
          const children = await api('listChildGroups', { group_id })
          for (const { id } of children.groups) parents.get(id)?.push(name)
        }
        return groups.map(({ id, name }) => ({ id, name, in: parents.get(id)?.join(', ') ?? '' }))
      })
      print(command, rows, formatTable(rows))
    })

  overNetwork(command.command('members'))
    .description('list the members of a group, inherited ones with the groups they come through')
    .argument(...workspaceArgument)
    .argument('<group>', 'name or ID of the group')
    .action(async (slug: string, group: string, _options, command) => {
      const rows = await withAdminApi(command, async (api) => {
        const workspace_id = await requireWorkspaceId(api, slug)
        const { groups } = await api('listGroups', { workspace_id })
        const group_id = await requireGroupId(groups, group)
        const { members } = await api('listGroupMembers', { group_id, effective: true })
        const names = new Map(groups.map(({ id, name }) => [id, name]))
        return members.map(({ user_id, email, via }) => ({
          user_id,
          email,
          via: via.map((id) => names.get(id) ?? id).join(' > '),
        }))
      })
      print(command, rows, formatTable(rows))
    })

  overNetwork(command.command('nest'))
    .description('make a group a child of another one, which gains its members')
    .argument(...workspaceArgument)
    .argument('<parent>', 'name or ID of the group that contains the child')
    .argument('<child>', 'name or ID of the child')
    .action((slug: string, parent: string, child: string, _options, command) =>
      changeLink(command, { slug, parent, child }, async (api, link) => {
        await api('addChildGroup', link)
        return `${child} is now in ${parent}.`
      }),
    )

  overNetwork(command.command('unnest'))
    .description('remove a child from a group; the child itself remains')
    .argument(...workspaceArgument)
    .argument('<parent>', 'name or ID of the group that contains the child')
    .argument('<child>', 'name or ID of the child')
    .action((slug: string, parent: string, child: string, _options, command) =>
      changeLink(command, { slug, parent, child }, async (api, link) => {
        await api('removeChildGroup', link)
        return `${child} is no longer in ${parent}.`
      }),
    )

  return command
}

type Link = { group_id: string; child_id: string }

async function changeLink(
  command: Command,
  { slug, parent, child }: { slug: string; parent: string; child: string },
  change: (api: AdminApi, link: Link) => Promise<string>,
): Promise<void> {
  const { link, line } = await withAdminApi(command, async (api) => {
    const workspace_id = await requireWorkspaceId(api, slug)
    const { groups } = await api('listGroups', { workspace_id })
    const link = {
      group_id: await requireGroupId(groups, parent),
      child_id: await requireGroupId(groups, child),
    }
    return { link, line: await change(api, link) }
  })
  print(command, link, [line])
}

/** Finds a group by name, or by ID if no group has that name. */
async function requireGroupId(
  groups: { id: string; name: string }[],
  key: string,
): Promise<string> {
  const found =
    groups.find(({ name }) => name === key) ?? groups.find(({ id }) => id === key.toLowerCase())
  if (found) return found.id
  const { groupNotFound } = await import('../workspaces/groups.ts')
  throw groupNotFound()
}
