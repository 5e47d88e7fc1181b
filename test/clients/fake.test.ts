import test from 'ava'
import { InvalidArgumentError } from '../../clients/typescript/src/daikon.ts'
import { createFakeDaikon } from '../../clients/typescript/src/testing.ts'

test('operations of a fake accept the IDs of its world, and no others that are not UUIDs', async (t) => {
  const fake = createFakeDaikon({
    members: [
      { workspaceId: 'acme', userId: 'alice', role: 'editor' },
      { workspaceId: 'acme', userId: 'bob', role: 'viewer' },
    ],
    groups: [{ id: 'staff', workspaceId: 'acme', members: ['bob'] }],
  })
  const roadmap = { type: 'document', id: 'roadmap' }
  const registration = { ...roadmap, workspaceId: 'acme', ownerId: 'alice' }
  await fake.register(registration)
  const as = fake.token('alice', 'acme')
  await fake.share(roadmap, { userId: 'bob' }, 'view', { as })
  await fake.share(roadmap, { groupId: 'staff' }, 'view', { as })
  t.is((await fake.transfer(roadmap, 'bob', { as })).ownerId, 'bob')
  const ids = fake.accessible({ userId: 'bob' }, 'view', 'document', { workspaceId: 'acme' })
  const found: string[] = []
  for await (const id of ids) found.push(id)
  t.deepEqual(found, ['roadmap'])
  for (const other of [{ workspaceId: 'other' }, { ownerId: 'carol' }]) {
    const refused = fake.register({ ...registration, ...other })
    await t.throwsAsync(refused, { instanceOf: InvalidArgumentError, message: /must be a UUID/ })
  }
})
