import type { EntityManager } from '@mikro-orm/postgresql'
import { Command } from 'commander'
import { formatTable, print } from './output.ts'
import { withDatabase } from './session.ts'

const maxMembers = 10_000

export function workspaceCommand(): Command {
  const command = new Command('workspace').description('list workspaces and their members')

  command
    .command('list')
    .description('list all workspaces, by name')
    .action(async (_options, command) => {
      const { listAllWorkspaces } = await import('../workspaces/workspaces.ts')
      const { workspaces } = await withDatabase(({ em }) => listAllWorkspaces({ em }, {}))
      print(command, workspaces, formatTable(workspaces))
    })

  command
    .command('members')
    .description(`list the members of a workspace, at most ${maxMembers}`)
    .argument('<slug>', 'slug of the workspace')
    .action(async (slug: string, _options, command) => {
      const { findMembers } = await import('../workspaces/queries.ts')
      const members = await withDatabase(async ({ em }) => {
        const workspaceId = await requireWorkspaceId(em, slug)
        return findMembers(em, workspaceId, undefined, maxMembers)
      })
      const rows = members.map(({ user_id, email, name, role, joined_at }) => ({
        user_id,
        email,
        name,
        role,
        status: joined_at === null ? 'invited' : 'active',
      }))
      print(command, rows, formatTable(rows))
    })

  return command
}

/** Finds a workspace by its slug. */
export async function requireWorkspaceId(em: EntityManager, slug: string): Promise<string> {
  const { Workspace } = await import('../database/entities/people.ts')
  const { workspaceNotFound } = await import('../workspaces/workspaces.ts')
  const workspace = await em.findOne(Workspace, { slug })
  if (!workspace) throw workspaceNotFound()
  return workspace.id
}
