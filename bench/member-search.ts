import type { Context } from '../src/rpc/call.ts'
import { listMembers } from '../src/workspaces/members.ts'

/** The statement that lists members sends, as PostgreSQL would explain it. */
export async function memberSearch(
  workspaceId: string,
  q?: string,
): Promise<{ text: string; values: unknown[] }> {
  const sent: { text: string; values: unknown[] }[] = []
  const em = {
    async execute(sql: string, values: unknown[]) {
      let at = 0
      sent.push({ text: sql.replace(/\?/g, () => `$${++at}`), values })
      return []
    },
    count: async () => 1,
  }
  const request = { workspace_id: workspaceId, limit: 50, ...(q !== undefined && { q }) }
  await listMembers({ em } as unknown as Context, request)
  const [statement, ...more] = sent
  if (!statement || more.length > 0) throw new Error('the list takes one statement')
  return statement
}
