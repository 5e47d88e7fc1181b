import { randomUUID } from 'node:crypto'
import { type Role, roles } from '../../src/workspaces/roles.ts'
import type { Door, Shown } from './doors.ts'
import { answered } from './ending.ts'
import type { World } from './world.ts'

/** Somebody with an access token for the office. */
export type Person = { id: string; token: string }

/** A record as it goes out. */
export type ResourceRecord = Record<string, any> & { id: string; resource_id: string }

/** A workspace with a person of each role, and a service of its own with a key. */
export type Office = Awaited<ReturnType<typeof openOffice>>

/** Opens an office; several in one world do not meet. */
export async function openOffice(world: Pick<World, 'seed' | 'token'>, door: Door) {
  const { seed } = world
  const workspace = await seed.workspace()
  const service = `docs-${randomUUID().slice(0, 8)}`
  const { key, id: appId } = await seed.serviceApp(service)

  const hire = async (role: Role): Promise<Person> => {
    const id = await seed.person(workspace, role)
    return { id, token: await world.token(id, workspace) }
  }
  const staff = Object.fromEntries(
    await Promise.all(roles.map(async (role) => [role, await hire(role)])),
  ) as Record<Role, Person>
  const kind = { service_name: service, resource_type: 'document' }

  return {
    ...{ workspace, service, key, appId, hire, staff, kind },
    /** What a backend shows when it asks for somebody. */
    as: ({ token }: Person): Shown => ({ token, key }),
    async register(owner: Person, more: Record<string, unknown> = {}): Promise<ResourceRecord> {
      const facts = { ...kind, resource_id: randomUUID(), workspace_id: workspace }
      const message = { ...facts, owner_id: owner.id, ...more }
      return answered(await door.call('Register', message, { key })) as ResourceRecord
    },
    async share(
      owner: Person,
      { id }: ResourceRecord,
      grantee: { user?: string; group?: string },
      permission: string,
    ) {
      const [[grantee_type, grantee_id]] = Object.entries(grantee) as [[string, string]]
      const message = { permission_id: id, grantee_type, grantee_id, permission }
      return answered(await door.call('Share', message, { token: owner.token, key }))
    },
    /** The answer to one check. */
    async may(person: Person, action: string, resource: { resource_id: string }, times = 1) {
      const { resource_id } = resource
      const checks = Array.from({ length: times }, () => ({ ...kind, resource_id, action }))
      const message = await door.call('Check', { checks }, { token: person.token, key })
      const [first, ...others] = answered(message).results.map(
        ({ allowed }: { allowed: boolean }) => allowed,
      )
      if (others.some((other: boolean) => other !== first)) throw new Error('of two minds')
      return first as boolean
    },
    /** The record with its shares, as it is now. */
    async look({ resource_id }: { resource_id: string }): Promise<ResourceRecord> {
      const message = { ...kind, resource_id }
      return answered(await door.call('GetResource', message, { key })) as ResourceRecord
    },
  }
}
