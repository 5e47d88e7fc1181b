import { randomUUID } from 'node:crypto'
import type { TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'
import { createWorkspaceFixture, type Member } from './workspace-fixture.ts'

/** Creates a workspace with a member of each role, and functions that change its members. */
export async function createMemberFixture(environment: TestEnvironment, transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace } = fixture
  // Protobuf represents an absent role as an empty string.
  const sameRole = transport.name === 'grpc' ? { role: '' } : {}
  const call = (method: string, by: Member, message: object = {}) =>
    transport.call(method, { workspace_id: workspace, ...message }, { token: by.token })
  return {
    ...fixture,
    call,
    update: (by: Member, { id: user_id }: Pick<Member, 'id'>, changes: object) =>
      call('UpdateMember', by, { user_id, ...sameRole, ...changes }),
    invite: (by: Member, message: object) =>
      call('InviteMember', by, { email: `${randomUUID()}@example.com`, ...message }),
  }
}
