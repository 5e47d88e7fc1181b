import { listMembers } from '../src/workspaces/members.ts'
import { recordStatements, type Statement } from './record-statements.ts'

/** Returns the SQL statement of ListMembers. */
export async function findMemberSearchStatement(
  workspaceId: string,
  q?: string,
): Promise<Statement> {
  const request = { workspace_id: workspaceId, limit: 50, ...(q !== undefined && { q }) }
  const [statement, ...more] = await recordStatements((stores) =>
    listMembers({ stores, principal: {} }, request),
  )
  if (!statement || more.length > 0) throw new Error('Expected exactly one statement')
  return statement
}
