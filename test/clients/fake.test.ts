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

test('a fake decides for a user and the agent that acts for them', async (t) => {
  const past = new Date(Date.now() - 1000)
  const base = { userId: 'alice', workspaceId: 'acme' }
  const folder = { type: 'folder', id: 'q4' }
  const below = { type: 'document', id: 'below' }
  const elsewhere = { type: 'document', id: 'elsewhere' }
  const owned = { workspaceId: 'acme', ownerId: 'alice' }
  const fake = createFakeDaikon({
    members: [
      { workspaceId: 'acme', userId: 'alice', role: 'editor' },
      { workspaceId: 'acme', userId: 'bob', role: 'viewer' },
      { workspaceId: 'acme', userId: 'former', role: 'viewer', expiresAt: past },
    ],
    resourceTypes: [{ type: 'document', allowPublic: true }],
    resources: [
      { type: 'document', id: 'notice', ...owned, visibility: 'public' },
      { ...folder, ...owned },
      { ...below, ...owned, parent: folder },
      { ...elsewhere, ...owned },
      { type: 'document', id: 'of-bob', workspaceId: 'acme', ownerId: 'bob' },
    ],
    delegations: [
      { id: 'viewing', ...base, actions: ['view'] },
      { id: 'documents', ...base, resourceTypes: ['document'] },
      { id: 'below-q4', ...base, resources: [folder] },
      { id: 'nothing', ...base, resources: [] },
      { id: 'expired', ...base, actions: ['view'], expiresAt: past },
      { id: 'other-service', ...base, actions: ['view'], serviceName: 'other' },
      { id: 'managing', ...base, actions: ['manage'] },
      { id: 'workspace', ...base, resourceTypes: ['workspace'] },
      { id: 'of-former', userId: 'former', workspaceId: 'acme', actions: ['view'] },
    ],
  })
  const workspace = { type: 'workspace', id: 'acme' }
  const notice = { type: 'document', id: 'notice' }
  const rows = [
    ['viewing', 'view', below, true],
    ['viewing', 'edit', below, false],
    ['viewing', 'view', { type: 'document', id: 'of-bob' }, false],
    ['viewing', 'view', workspace, false],
    ['documents', 'edit', below, true],
    ['documents', 'edit', folder, false],
    ['documents', 'manage', below, false],
    ['below-q4', 'edit', below, true],
    ['below-q4', 'view', folder, true],
    ['below-q4', 'view', elsewhere, false],
    ['nothing', 'view', below, false],
    ['expired', 'view', below, false],
    ['other-service', 'view', below, false],
    ['managing', 'manage', below, true],
    ['managing', 'view', below, false],
    ['workspace', 'view', workspace, true],
    ['viewing', 'view', notice, true],
    ['of-former', 'view', notice, false],
    ['unknown', 'view', below, false],
  ] as const
  for (const [delegation, action, resource, isAllowed] of rows) {
    const name = `${delegation} ${action} ${resource.id}`
    t.is(await fake.check({ delegation }, action, resource), isAllowed, name)
    if (delegation === 'unknown') continue
    const token = fake.token('alice', 'acme', { delegation })
    t.is(await fake.check({ token }, action, resource), isAllowed, name)
    await t.throwsAsync(fake.verifyAccessToken(token))
    t.is((await fake.verifyAccessToken(token, { delegated: true })).delegation_id, delegation)
  }
  const found: string[] = []
  for await (const id of fake.accessible({ delegation: 'below-q4' }, 'view', 'document'))
    found.push(id)
  t.deepEqual(found, ['below'])
  const refused = fake.setVisibility(below, 'workspace', {
    as: fake.token('alice', 'acme', { delegation: 'documents' }),
  })
  await t.throwsAsync(refused, { message: /does not cover/ })
  await fake.unregister(folder, { cascade: true })
  await fake.register({ ...folder, ...owned })
  t.false(await fake.check({ delegation: 'below-q4' }, 'view', folder))
})
