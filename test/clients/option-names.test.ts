import test from 'ava'
import { createDaikon, InvalidArgumentError } from '../../clients/typescript/src/daikon.ts'
import { createDaikon as createFetchDaikon } from '../../clients/typescript/src/fetch.ts'
import { createFakeDaikon } from '../../clients/typescript/src/testing.ts'

// What programs in plain JavaScript pass, which the compiler would refuse.
const options = { service: 'docs', serviceKey: 'dk_key' }
const clients: Record<string, any> = {
  gRPC: createDaikon({ ...options, address: '127.0.0.1:1' }),
  fetch: createFetchDaikon({ ...options, url: 'http://127.0.0.1:1' }),
  fake: createFakeDaikon(),
}
test.after.always(() => {
  for (const client of Object.values(clients)) client.close()
})

const document = { type: 'document', id: 'roadmap' }
const bob = { userId: 'bob' }

const mistakes: [operation: string, values: unknown[], fields: string[]][] = [
  [
    'check',
    [bob, 'view', document, { contex: {} }],
    ['contex is not an option of check; did you mean context?'],
  ],
  [
    'checkMany',
    [[{ subject: bob, action: 'view', resource: document, contxt: {} }]],
    ['checks[0].contxt is not an option of checkMany; did you mean context?'],
  ],
  ['explain', [bob, 'view', document, { timeout: 5 }], ['timeout is not an option of explain']],
  [
    'register',
    [{ ...document, workspaceId: 'w', ownerId: 'a', visiblity: 'public', displayname: 'x' }],
    [
      'visiblity is not an option of register; did you mean visibility?',
      'displayname is not an option of register; did you mean displayName?',
    ],
  ],
  [
    'registerMany',
    [[{ ...document, workspace_id: 'w', ownerId: 'a' }]],
    ['registrations[0].workspace_id is not an option of registerMany; did you mean workspaceId?'],
  ],
  [
    'share',
    [document, bob, 'view', { as: 't', expires_at: new Date() }],
    ['expires_at is not an option of share; did you mean expiresAt?'],
  ],
  [
    'shareMany',
    [[{ resource: document, grantee: bob, grant: 'view', expiresat: new Date() }]],
    ['shares[0].expiresat is not an option of shareMany; did you mean expiresAt?'],
  ],
  ['get', [document, { as: 't' }], ['as is not an option of get']],
  [
    'unregister',
    [document, { cascading: true }],
    ['cascading is not an option of unregister; did you mean cascade?'],
  ],
  [
    'setParent',
    [document, null, { inherit: false }],
    ['inherit is not an option of setParent; did you mean inherits?'],
  ],
  [
    'createLink',
    [document, 'view', { as: 't', expires: new Date() }],
    ['expires is not an option of createLink; did you mean expiresAt?'],
  ],
  [
    'declareType',
    ['document', { allow_public: true }, { dryrun: true }],
    [
      'allow_public is not an option of declareType; did you mean allowPublic?',
      'dryrun is not an option of declareType; did you mean dryRun?',
    ],
  ],
]

for (const [name, client] of Object.entries(clients)) {
  test(`${name}: unknown options are refused, with the nearest name`, async (t) => {
    for (const [operation, values, messages] of mistakes) {
      const error = await t.throwsAsync<InvalidArgumentError>(client[operation](...values), {
        instanceOf: InvalidArgumentError,
      })
      const found = error?.fields.map(({ field, message }) => `${field} ${message}`)
      t.deepEqual(found, messages, operation)
    }
    const accessible = () => client.accessible(bob, 'view', 'document', { workspace: 'w' })
    t.throws(accessible, { message: /workspace is not an option of accessible/ })
  })
}

test('unknown options of a client are refused', (t) => {
  const misspelt: any = { ...options, address: '127.0.0.1:1', deadlineMS: 5 }
  t.throws(() => createDaikon(misspelt), { message: /did you mean deadlineMs\?/ })
  const own: any = { ...options, url: 'http://127.0.0.1:1', tls: true }
  t.throws(() => createFetchDaikon(own), { message: /tls is not an option of the client/ })
})
