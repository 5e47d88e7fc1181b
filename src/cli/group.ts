import type { EntityManager } from '@mikro-orm/postgresql'
import { Command } from 'commander'
import { formatTable, print } from './output.ts'
import { withDatabase } from './session.ts'
import { requireWorkspaceId } from './workspace.ts'

const workspaceArgument = ['<workspace>', 'slug of the workspace'] as const

/** `daikon group`: lists and nests the groups of a workspace. */
export function groupCommand(): Command {
  const command = new Command('group').description('list groups and put groups into groups')

  command
    .command('list')
    .description('list the groups of a workspace with the groups that contain them')
    .argument(...workspaceArgument)
    .action(async (slug: string, _options, command) => {
      const { findParentIds } = await import('../workspaces/group-queries.ts')
      const { listGroups } = await import('../workspaces/groups.ts')
      const rows = await withDatabase(async ({ em, operator }) => {
        const workspace_id = await requireWorkspaceId(em, slug)
        const { groups } = await listGroups({ ...operator, now: new Date() }, { workspace_id })
        const parents = await findParentIds(em, workspace_id)
        const names = new Map(groups.map(({ id, name }) => [id, name]))
        return groups.map(({ id, name }) => ({
          id,
          name,
          in: (parents.get(id) ?? []).map((parent) => names.get(parent) ?? parent).join(', '),
        }))
      })
      print(command, rows, formatTable(rows))
    })

  command
    .command('members')
    .description('list the members of a group, inherited ones with the groups they come through')
    .argument(...workspaceArgument)
    .argument('<group>', 'name or ID of the group')
    .action(async (slug: string, group: string, _options, command) => {
      const { listGroupMembers } = await import('../workspaces/group-members.ts')
      const { listGroups } = await import('../workspaces/groups.ts')
      const rows = await withDatabase(async ({ em, operator }) => {
        const workspace_id = await requireWorkspaceId(em, slug)
        const group_id = await requireGroupId(em, workspace_id, group)
        const context = { ...operator, now: new Date() }
        const { members } = await listGroupMembers(context, { group_id, effective: true })
        const { groups } = await listGroups(context, { workspace_id })
        const names = new Map(groups.map(({ id, name }) => [id, name]))
        return members.map(({ user_id, email, via }) => ({
          user_id,
          email,
          via: via.map((id) => names.get(id) ?? id).join(' > '),
        }))
      })
      print(command, rows, formatTable(rows))
    })

  command
    .command('nest')
    .description('make a group a child of another one, which gains its members')
    .argument(...workspaceArgument)
    .argument('<parent>', 'name or ID of the group that contains the child')
    .argument('<child>', 'name or ID of the child')
    .action((slug: string, parent: string, child: string, _options, command) =>
      changeLink(command, slug, parent, child, true),
    )

  command
    .command('unnest')
    .description('remove a child from a group; the child itself remains')
    .argument(...workspaceArgument)
    .argument('<parent>', 'name or ID of the group that contains the child')
    .argument('<child>', 'name or ID of the child')
    .action((slug: string, parent: string, child: string, _options, command) =>
      changeLink(command, slug, parent, child, false),
    )

  return command
}

async function changeLink(
  command: Command,
  slug: string,
  parent: string,
  child: string,
  isNested: boolean,
): Promise<void> {
  const { addChildGroup, removeChildGroup } = await import('../workspaces/child-groups.ts')
  const link = await withDatabase(async ({ em, operator }) => {
    const workspace_id = await requireWorkspaceId(em, slug)
    const group_id = await requireGroupId(em, workspace_id, parent)
    const child_id = await requireGroupId(em, workspace_id, child)
    const change = isNested ? addChildGroup : removeChildGroup
    const context = { ...operator, now: new Date() }
    await change(context, { workspace_id, group_id, child_id })
    return { group_id, child_id }
  })
  const line = isNested ? `${child} is now in ${parent}.` : `${child} is no longer in ${parent}.`
  print(command, link, [line])
}

/** Finds a group by name, or by ID if no group has that name. */
async function requireGroupId(
  em: EntityManager,
  workspace_id: string,
  key: string,
): Promise<string> {
  const { Group } = await import('../database/entities/people.ts')
  const { groupNotFound } = await import('../workspaces/groups.ts')
  const named = await em.findOne(Group, { workspace_id, name: key })
  if (named) return named.id
  const groups = await em.find(Group, { workspace_id })
  const found = groups.find(({ id }) => id === key.toLowerCase())
  if (!found) throw groupNotFound()
  return found.id
}
