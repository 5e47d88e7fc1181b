import { randomUUID } from 'node:crypto'
import { type Role, roles } from '../../src/core/roles.ts'
import { expectOk } from './outcome.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { PresentedCredentials, Transport } from './transports.ts'

/** A user with an access token for the fixture's workspace. */
export type Member = { id: string; token: string }

/** A registered resource as the API returns it. */
export type ResourceRecord = Record<string, any> & { id: string; resource_id: string }

/** A workspace with one member of each role, and a separate service app with a key. */
export type WorkspaceFixture = Awaited<ReturnType<typeof createWorkspaceFixture>>

/** Creates a workspace fixture. Fixtures in one environment share no objects. */
export async function createWorkspaceFixture(
  environment: Pick<TestEnvironment, 'seed' | 'token'>,
  transport: Transport,
) {
  const { seed } = environment
  const workspace = await seed.workspace()
  const service = `docs-${randomUUID().slice(0, 8)}`
  const { key, id: appId } = await seed.serviceApp(service)

  const signFor = async (id: string): Promise<Member> => ({
    id,
    token: await environment.token(id, workspace),
  })
  const addMember = async (role: Role) => signFor(await seed.newMember(workspace, role))
  const members = await Promise.all((await seed.newMembers(workspace, roles)).map(signFor))
  const people = Object.fromEntries(roles.map((role, index) => [role, members[index]])) as Record<
    Role,
    Member
  >
  const kind = { service_name: service, resource_type: 'document' }

  return {
    workspace,
    service,
    key,
    appId,
    addMember,
    people,
    kind,
    /** Returns the credentials that a backend sends when it calls on behalf of a user. */
    as: ({ token }: Member): PresentedCredentials => ({ token, key }),
    async register(owner: Member, more: Record<string, unknown> = {}): Promise<ResourceRecord> {
      const facts = { ...kind, resource_id: randomUUID(), workspace_id: workspace }
      const message = { ...facts, owner_id: owner.id, ...more }
      return expectOk(await transport.call('Register', message, { key })) as ResourceRecord
    },
    async share(
      owner: Member,
      { id }: ResourceRecord,
      grantee: { user?: string; group?: string },
      permission: string,
    ) {
      const [[grantee_type, grantee_id]] = Object.entries(grantee) as [[string, string]]
      const message = { permission_id: id, grantee_type, grantee_id, permission }
      return expectOk(await transport.call('Share', message, { token: owner.token, key }))
    },
    /** Whether a check of `action` is allowed. Sends the same check `times` times in one batch. */
    async isAllowed(person: Member, action: string, resource: { resource_id: string }, times = 1) {
      const { resource_id } = resource
      const checks = Array.from({ length: times }, () => ({ ...kind, resource_id, action }))
      const message = await transport.call('Check', { checks }, { token: person.token, key })
      const [first, ...others] = expectOk(message).results.map(
        ({ allowed }: { allowed: boolean }) => allowed,
      )
      if (others.some((other: boolean) => other !== first))
        throw new Error('Identical checks returned different results')
      return first as boolean
    },
    /** Returns the resource with its current shares. */
    async readResource({ resource_id }: { resource_id: string }): Promise<ResourceRecord> {
      const message = { ...kind, resource_id }
      return expectOk(await transport.call('GetResource', message, { key })) as ResourceRecord
    },
  }
}
