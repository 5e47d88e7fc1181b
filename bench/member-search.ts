import type { RequestContext } from '../src/core/request-context.ts'
import { listMembers } from '../src/workspaces/members.ts'
import { type Statement, statementsOf } from './statements-of.ts'

/** The statement that lists members sends, as PostgreSQL would explain it. */
export async function memberSearch(workspaceId: string, q?: string): Promise<Statement> {
  const request = { workspace_id: workspaceId, limit: 50, ...(q !== undefined && { q }) }
  const [statement, ...more] = await statementsOf((em) =>
    listMembers({ em } as RequestContext, request),
  )
  if (!statement || more.length > 0) throw new Error('the list takes one statement')
  return statement
}
