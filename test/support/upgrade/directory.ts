import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { createScimClient, type ScimResponse, seedConnection, seedScimToken } from '../scim.ts'
import type { Seed } from '../seed.ts'
import type { Outcome } from '../transports.ts'
import type { Facts } from './facts.ts'
import { CallFailed, type Rotation } from './rotation.ts'
import { startWorker, type Worker } from './worker.ts'

/** A person whom the directory has provisioned. */
type Person = { id: string; userName: string; displayName: string; isActive: boolean }

/**
 * Creates a workspace and a directory that provisions people and groups into it, as long as nodes of
 * the new version run.
 */
export async function createDirectoryTraffic(
  rotation: Rotation,
  {
    pool,
    seed,
    key,
    service,
    facts,
  }: {
    pool: Pool
    seed: Seed
    key: string
    service: string
    facts: Facts
  },
) {
  const workspace = await seed.workspace('Directory')
  const owner = await seed.newMember(workspace, 'owner')
  const domain = `${randomUUID()}.example.org`
  const people: Person[] = []
  let connection: string | undefined
  let token = ''

  /** @throws CallFailed unless the status is the expected one */
  async function send(
    method: string,
    path: string,
    status: number,
    body?: object,
  ): Promise<Record<string, any>> {
    return rotation.use(
      async (chosen) => {
        const { httpPort } = chosen.node
        const client = createScimClient({ httpPort, workspace, domain, token })
        const response: ScimResponse = await client.send(method, path, body)
        const label = `SCIM ${method} ${path.split('/')[1]}: ${response.status}`
        const outcome =
          response.status === status ? 'ok' : response.status === 503 ? 'unavailable' : label
        rotation.count(outcome, chosen)
        if (outcome !== 'ok') throw new CallFailed(outcome)
        return response.body ?? {}
      },
      ({ isNew }) => isNew,
    )
  }

  const factOf = ({ id, userName, displayName, isActive }: Person) =>
    ['person of a directory', id, userName, displayName, isActive, isActive] as const

  async function createPerson(): Promise<Person> {
    const userName = `dan-${randomUUID()}@${domain}`
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
    const user = { schemas, userName, displayName: 'Dan' }
    const { id } = await send('POST', '/Users', 201, user)
    const person = { id, userName, displayName: 'Dan', isActive: true }
    facts.expect(...factOf(person))
    return person
  }

  async function patch(path: string, status: number, ...Operations: object[]) {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
    await send('PATCH', path, status, { schemas, Operations })
  }

  /** Changes a person, and forgets them if the call fails. */
  async function changePerson(person: Person, changes: Partial<Person>): Promise<Person> {
    const changed = { ...person, ...changes }
    facts.forget(...factOf(person))
    const { displayName, isActive: active } = changed
    const operation = { op: 'replace', value: { displayName, active } }
    await patch(`/Users/${person.id}`, 200, operation)
    facts.expect(...factOf(changed))
    return changed
  }

  /** The decision about a resource that all members of the workspace may view. */
  async function expectMember({ id }: Person, isMember: boolean, resource: string) {
    await rotation.call(
      'Evaluate',
      {
        subject: { type: 'user', id },
        action: { name: 'view' },
        resource: { type: 'document', id: resource },
      },
      { key },
      { isRight: (outcome: Outcome) => outcome.ok && outcome.message.decision === isMember },
    )
  }

  async function run() {
    const resource_id = randomUUID()
    const kind = { service_name: service, resource_type: 'document' }
    const resource = { ...kind, resource_id, workspace_id: workspace, owner_id: owner }
    await rotation.call('Register', { ...resource, visibility: 'workspace' }, { key })
    const first = await createPerson()
    await expectMember(first, true, resource_id)
    const second = await createPerson()
    const members = [{ value: first.id }, { value: second.id }]
    const displayName = `Group ${randomUUID()}`
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group']
    const group = await send('POST', '/Groups', 201, { schemas, displayName, members })
    const ids = [first.id, second.id]
    for (const id of ids) facts.expect('member of a group', group.id, id)
    facts.forget('member of a group', group.id, second.id)
    const path = `members[value eq "${second.id}"]`
    await patch(`/Groups/${group.id}`, 204, { op: 'remove', path })
    facts.expectNone('member of a group', group.id, second.id)
    people.push(await changePerson(first, { displayName: 'Daniel' }))
    // A directory may end at most half of the memberships of a workspace within an hour.
    const inactive = await changePerson(second, { isActive: false })
    await expectMember(inactive, false, resource_id)
    const active = await changePerson(inactive, { isActive: true })
    await expectMember(active, true, resource_id)
    await changePerson(await createPerson(), { displayName: 'Dana' })
    const leaving = await createPerson()
    facts.forget(...factOf(leaving))
    await send('DELETE', `/Users/${leaving.id}`, 204)
    facts.expectNone(...factOf(leaving))
    await expectMember(leaving, false, resource_id)
    await send('GET', `/Groups/${group.id}`, 200)
    facts.forget('member of a group', group.id, first.id)
    await send('DELETE', `/Groups/${group.id}`, 204)
    facts.expectNone('member of a group', group.id, first.id)
    await send('GET', '/Users?count=10', 200)
    // Someone whom the directory knew before the nodes were replaced.
    const older = people.shift()
    if (older) people.push(await changePerson(older, { displayName: `Dan ${randomUUID()}` }))
  }

  let worker: Worker | undefined
  return {
    /** The rounds since the last start. */
    rounds: () => worker?.rounds ?? 0,
    /** Connects the workspace and lets the directory begin. */
    async start() {
      connection = await seedConnection({ pool }, workspace, domain)
      token ||= await seedScimToken({ pool }, workspace)
      worker = startWorker(rotation, 'directory', run)
    },
    stop: async () => worker?.stop(),
    /** Removes the connection, of which an older version does not know. */
    async disconnect(admin: string) {
      const message = { workspace_id: workspace, connection_id: connection }
      await rotation.call('AdminService/DeleteConnection', message, { admin }, { isNew: true })
    },
  }
}
