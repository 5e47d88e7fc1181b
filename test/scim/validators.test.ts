import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDirectory } from '../support/scim.ts'
import { runSteps, type Step } from '../support/scim-steps.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

/**
 * The requests and expectations of the published validators: Microsoft's reference collection and validation tests
 * (AzureAD/SCIMReferenceCode), and Okta's suite for Runscope.
 */

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const user = 'urn:ietf:params:scim:schemas:core:2.0:User'
const group = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const list = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const error = 'urn:ietf:params:scim:api:messages:2.0:Error'
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const patch = (...Operations: object[]) => ({ schemas: [patchOp], Operations })

test('the requests of Microsoft’s collection', async (t) => {
  const email = (type: string, value: string) => ({ Primary: type === 'work', type, value })
  const ryan = {
    userName: 'ryan@{domain}',
    active: true,
    displayName: 'BobIsAmazing',
    schemas: [user],
    externalId: randomUUID(),
    name: { formatted: 'Ryan Leenay', familyName: 'Leenay', givenName: 'Ryan' },
    emails: [email('work', 'testing@bob.com'), email('home', 'testinghome@bob.com')],
  }
  const andrew = {
    ...{ ...ryan, schemas: [enterprise, user], userName: 'andrew@{domain}' },
    [enterprise]: { department: 'bob', manager: { value: 'SuzzyQ' } },
  }
  const members = (...ids: string[]) => ids.map((value) => ({ value, display: 'VP' }))
  const addMember = patch({
    ...{ name: 'addMember', op: 'add', path: 'members' },
    value: [{ displayName: 'new User', value: '{andrew}' }],
  })
  await runSteps(t, await createDirectory(environment), [
    { send: ['GET', '/Users'], status: 200, body: { schemas: [list], totalResults: 0 } },
    { send: ['GET', '/Groups'], status: 200, body: { schemas: [list], totalResults: 0 } },
    { send: ['GET', '/ResourceTypes'], status: 200 },
    { send: ['GET', '/serviceConfiguration'], status: 404, body: { schemas: [error] } },
    { send: ['GET', '/Schemas'], status: 200, body: { totalResults: 3 } },
    {
      ...{ send: ['POST', '/Users', ryan], status: 201, save: 'ryan' },
      body: { userName: 'ryan@{domain}', emails: [{ primary: true }, { primary: false }] },
    },
    { send: ['POST', '/Users', andrew], status: 201, save: 'andrew' },
    { send: ['GET', '/Users/{ryan}'], status: 200, body: { displayName: 'BobIsAmazing' } },
    {
      ...{ send: ['GET', '/Users/{andrew}'], status: 200 },
      body: { [enterprise]: { department: 'bob', manager: { value: 'SuzzyQ' } } },
    },
    {
      ...{ send: ['GET', '/Users?attributes=userName,emails'], status: 200 },
      body: { totalResults: 2 },
    },
    {
      send: [
        ...(['PATCH', '/Users/{ryan}'] as const),
        patch({ op: 'replace', path: 'userName', value: 'ryan3@{domain}' }),
      ],
      ...{ status: 200, body: { userName: 'ryan3@{domain}' } },
    },
    {
      send: ['PUT', '/Users/{andrew}', { ...andrew, name: { formatted: 'NewName' } }],
      ...{ status: 200, body: { id: '{andrew}', name: { formatted: 'NewName' } } },
    },
    {
      send: ['POST', '/Groups', { schemas: [group], displayName: 'Group 1', members: [] }],
      ...{ status: 201, save: 'first', body: { displayName: 'Group 1' } },
    },
    {
      send: ['POST', '/Groups', { schemas: [group], displayName: '2', members: members('{ryan}') }],
      ...{ status: 201, save: 'second', body: { members: [{ value: '{ryan}' }] } },
    },
    {
      send: [
        'PUT',
        '/Groups/{second}',
        { displayName: 'p', members: members('{ryan}', '{andrew}') },
      ],
      ...{ status: 200, body: { displayName: 'p' } },
    },
    { send: ['PATCH', '/Groups/{first}', addMember], status: 204 },
    { send: ['GET', '/Groups/{first}'], status: 200, body: { members: [{ value: '{andrew}' }] } },
    {
      send: [
        ...(['PATCH', '/Groups/{first}'] as const),
        patch({ op: 'remove', path: 'members[value eq "{andrew}"]' }),
      ],
      status: 204,
    },
    { send: ['GET', '/Groups/{first}'], status: 200, body: { members: undefined } },
    { send: ['PATCH', '/Groups/{first}', addMember], status: 204 },
    {
      send: ['PATCH', '/Groups/{first}', patch({ op: 'remove', path: 'members' })],
      status: 204,
    },
    { send: ['GET', '/Groups/{first}'], status: 200, body: { members: undefined } },
    {
      send: [
        ...(['PATCH', '/Groups/{first}'] as const),
        patch({ op: 'add', path: 'members', value: 'string id 1' }),
      ],
      ...{ status: 400, body: { schemas: [error], scimType: 'invalidValue' } },
    },
    {
      ...{ send: ['GET', '/Groups/{second}?excludedAttributes=members'], status: 200 },
      body: { displayName: 'p', members: undefined },
    },
    {
      ...{ send: ['POST', '/Users', { ...ryan, userName: 'emp1@{domain}', active: 'True' }] },
      ...{ status: 201, body: { active: true } },
    },
    {
      ...{ send: ['POST', '/Users', { ...ryan, userName: undefined }], status: 400 },
      body: { schemas: [error], scimType: 'invalidValue' },
    },
    { send: ['POST', '/Users', andrew], status: 409, body: { scimType: 'uniqueness' } },
    {
      send: ['PUT', '/Users/{andrew}', { ...andrew, userName: undefined, userame: 'OMalley' }],
      status: 400,
    },
    {
      send: ['PUT', '/Users/{andrew}', { ...andrew, emails: undefined, emals: [] }],
      ...{ status: 200, body: { emails: undefined } },
    },
    {
      ...{ send: ['GET', '/Users?startIndex=1&count=2'], status: 200 },
      body: { itemsPerPage: 2, startIndex: 1, totalResults: 3 },
    },
    {
      ...{ send: ['GET', '/Users?filter=userName sw "O"'], status: 200 },
      body: { totalResults: 0 },
    },
    { send: ['DELETE', '/Users/{andrew}'], status: 204 },
    { send: ['DELETE', '/Groups/{second}'], status: 204 },
    { send: ['GET', '/Groups/{second}'], status: 404, body: { schemas: [error] } },
  ])
})

test('Microsoft’s validation tests: null and empty values, manager, disabled users, pages', async (t) => {
  const manager = `${enterprise}:manager`
  const change = (op: string, path: string, value: unknown): Step['send'] => [
    ...(['PATCH', '/Users/{id}'] as const),
    patch({ op, path, value }),
  ]
  const directory = await createDirectory(environment)
  await runSteps(t, directory, [
    {
      send: [
        ...(['POST', '/Users'] as const),
        {
          ...{ schemas: [user, enterprise], userName: 'null@{domain}', active: true },
          ...{ displayName: 'D', title: 'T', name: { givenName: 'G', familyName: 'F' } },
          emails: [{ type: 'work', value: 'null@{domain}', primary: true }],
        },
      ],
      ...{ status: 201, save: 'id' },
    },
    { send: change('replace', 'title', ''), status: 200, body: { title: '' } },
    { send: change('replace', 'title', null), status: 200, body: { title: undefined } },
    { send: change('replace', 'displayName', null), status: 200, body: { displayName: undefined } },
    {
      send: change('replace', 'name.givenName', null),
      ...{ status: 200, body: { name: { givenName: undefined, familyName: 'F' } } },
    },
    {
      send: change('replace', 'emails[type eq "work"].value', null),
      ...{ status: 200, body: { emails: [{ type: 'work', value: undefined }] } },
    },
    {
      send: change('Add', manager, 'm-1'),
      ...{ status: 200, body: { [enterprise]: { manager: { value: 'm-1' } } } },
    },
    {
      send: change('Replace', manager, 'm-2'),
      ...{ status: 200, body: { [enterprise]: { manager: { value: 'm-2' } } } },
    },
    { send: change('Replace', manager, ''), status: 200, body: { [enterprise]: undefined } },
    { send: change('Replace', 'active', 'False'), status: 200, body: { active: false } },
    {
      ...{ send: ['GET', '/Users?filter=userName eq "NULL@{domain}"'], status: 200 },
      body: { totalResults: 1, Resources: [{ id: '{id}', active: false }] },
    },
    { send: change('Replace', 'active', 'True'), status: 200, body: { active: true } },
    { send: ['DELETE', '/Users/{id}'], status: 204 },
    {
      ...{ send: ['GET', '/Users?filter=userName eq "null@{domain}"'], status: 200 },
      body: { totalResults: 0, Resources: [] },
    },
    {
      ...{ send: ['POST', '/Users', { schemas: [user], userName: 'null@{domain}' }], status: 201 },
      body: { id: '{id}', active: true },
    },
  ])
  for (let n = 0; n < 10; n += 1) await directory.provision(`page-${n}`)
  for (const startIndex of [1, 6, 11]) {
    const { body } = await directory.send('GET', `/Users?startIndex=${startIndex}&count=5`)
    t.like(body, { startIndex, totalResults: 11, itemsPerPage: startIndex === 11 ? 1 : 5 })
  }
})

test('Microsoft’s discovery finds the attributes that Entra ID maps by default', async (t) => {
  const directory = await createDirectory(environment)
  const { body } = await directory.send('GET', '/Schemas')
  const names = (id: string, attributes: any[]) =>
    attributes.flatMap(({ name, type, multiValued, subAttributes = [] }) => {
      if (id === enterprise) return [`${id}:${name}`]
      if (type !== 'complex' || name === 'members') return [name]
      const subs = subAttributes.map((sub: any) => sub.name)
      if (!multiValued) return subs.map((sub: string) => `${name}.${sub}`)
      const { canonicalValues } = subAttributes.find((sub: any) => sub.name === 'type') ?? {}
      const filters = canonicalValues?.map((value: string) => `type eq "${value}"`)
      return (filters ?? ['primary eq "True"']).flatMap((filter: string) =>
        subs.map((sub: string) => `${name}[${filter}].${sub}`),
      )
    })
  const found = Object.fromEntries(
    body.Resources.map(({ id, attributes }: any) => [id, names(id, attributes)]),
  )
  const address = ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country']
  const mapped = {
    [user]: [
      ...['userName', 'active', 'displayName', 'title', 'preferredLanguage', 'externalId'],
      ...['name.givenName', 'name.familyName', 'name.formatted', 'emails[type eq "work"].value'],
      ...['work', 'mobile', 'fax'].map((type) => `phoneNumbers[type eq "${type}"].value`),
      ...address.map((name) => `addresses[type eq "work"].${name}`),
      'roles[primary eq "True"].value',
    ],
    [enterprise]: ['employeeNumber', 'department', 'manager'].map(
      (name) => `${enterprise}:${name}`,
    ),
    [group]: ['displayName', 'externalId', 'members'],
  }
  for (const [id, attributes] of Object.entries(mapped))
    t.deepEqual(
      attributes.filter((name) => !found[id].includes(name)),
      [],
      id,
    )
})

test('Okta’s suite', async (t) => {
  const directory = await createDirectory(environment)
  await directory.provision('first')
  const profile = {
    ...{ schemas: [user], userName: 'tina@{domain}', active: true, groups: [] },
    ...{ name: { givenName: 'Tina', familyName: 'Erickson' }, displayName: 'Tina Erickson' },
    emails: [{ primary: true, value: 'tina@mailinator.example', type: 'work' }],
    ...{ externalId: '00u5hwkpq7IC0H7IS0h7', locale: 'en_US', password: 'y25bA4W3' },
  }
  await runSteps(t, directory, [
    {
      ...{ send: ['GET', '/Users?count=1&startIndex=1'], status: 200 },
      body: { schemas: [list], itemsPerPage: 1, startIndex: 1, totalResults: 1 },
    },
    {
      ...{ send: ['GET', '/Groups?count=100&startIndex=1'], status: 200 },
      body: { schemas: [list], startIndex: 1, totalResults: 0 },
    },
    {
      send: ['GET', '/Users?count=100&filter=userName eq "tina@{domain}"&startIndex=1'],
      ...{ status: 200, body: { schemas: [list], totalResults: 0 } },
    },
    {
      ...{ send: ['GET', '/Users/c1dfd96eea8cc2b62785275bca38ac261256e278'], status: 404 },
      body: { schemas: [error], status: '404', detail: 'User not found' },
    },
    {
      ...{ send: ['POST', '/Users', profile], status: 201, save: 'id' },
      body: {
        ...{ schemas: [user], userName: 'tina@{domain}', active: true, password: undefined },
        name: { givenName: 'Tina', familyName: 'Erickson' },
      },
    },
    {
      ...{ send: ['GET', '/Users/{id}'], status: 200 },
      body: { userName: 'tina@{domain}', name: { givenName: 'Tina', familyName: 'Erickson' } },
    },
    {
      ...{ send: ['POST', '/Users', profile], status: 409 },
      body: { schemas: [error], status: '409', scimType: 'uniqueness' },
    },
    {
      send: ['PATCH', '/Users/{id}', patch({ op: 'replace', value: { active: false } })],
      ...{ status: 200, body: { active: false } },
    },
  ])
})
