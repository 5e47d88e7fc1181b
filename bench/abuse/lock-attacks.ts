import pg from 'pg'
import { type Attack, type AttackContext, countCall, repeatInParallel } from './attack.ts'

/** Attacks that make calls wait for locked rows, like a slow transaction in a workspace. */
export const lockAttacks: Record<string, Attack> = {
  workspace: {
    title: '15 parallel `UpdateMember` of a locked workspace',
    run: (context) => {
      const { workspace, people } = context.target
      const message = { workspace_id: workspace, user_id: people.viewer.id, role: 'editor' }
      const sql = 'select from workspaces where id = $1 for update'
      return runLocked(context, sql, workspace, () =>
        repeatInParallel(context, 15, () =>
          countCall(
            context.outcomes,
            context.grpc.call('UpdateMember', message, { token: people.owner.token }),
          ),
        ),
      )
    },
  },
  shares: {
    title: 'Two parallel `Share` with a locked member',
    run: (context) => {
      const { people, resource, key } = context.target
      const grant = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'view' }
      const message = { permission_id: resource.id, ...grant }
      const sql = 'select from members where user_id = $1 for update'
      return runLocked(context, sql, people.viewer.id, () =>
        repeatInParallel(context, 2, () =>
          countCall(
            context.outcomes,
            context.grpc.call('Share', message, { token: people.owner.token, key }),
          ),
        ),
      )
    },
  },
}

/** Runs `work` while another transaction holds a lock. */
async function runLocked(
  { target }: AttackContext,
  sql: string,
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: target.databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(sql, [id])
    await work()
  } finally {
    await client.end()
  }
}
