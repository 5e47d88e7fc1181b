import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  test(`${transport.name}: the creator of a workspace becomes its owner`, async (t) => {
    const { seed, token, pool } = environment
    const home = await seed.workspace()
    const ann = await seed.newMember(home, 'viewer', 'ann')
    const credentials = { token: await token(ann, home) }
    const slug = `acme-${transport.name}`
    const request = { name: ' Acme ', slug, description: 'Anvils\nand more' }
    const created = expectOk(await transport.call('CreateWorkspace', request, credentials))
    t.like(created, { name: 'Acme', slug, description: 'Anvils\nand more', role: 'owner' })
    const { workspaces } = expectOk(await transport.call('ListWorkspaces', {}, credentials))
    t.deepEqual(
      workspaces.map(({ id, role }: { id: string; role: string }) => [id, role]),
      [
        [created.id, 'owner'],
        [home, 'viewer'],
      ],
    )
    const { rows } = await pool.query('select * from activity where target_id = $1', [created.id])
    t.is(rows.length, 1)
    t.like(rows[0], { action: 'workspace.created', actor_id: ann, workspace_id: created.id })

    const own = { token: await token(ann, created.id) }
    const workspace_id = created.id
    const changed = expectOk(
      await transport.call('UpdateWorkspace', { workspace_id, name: 'New' }, own),
    )
    t.deepEqual(changed, { ...created, name: 'New', etag: changed.etag })
    t.deepEqual(expectOk(await transport.call('GetWorkspace', { workspace_id }, own)), changed)
    const entries = async () => (await listActivity(pool, created.id)).length
    const entriesBefore = await entries()
    expectOk(await transport.call('UpdateWorkspace', { workspace_id, name: ' New ' }, own))
    t.is(await entries(), entriesBefore, 'nothing was recorded')
    expectOk(await transport.call('DeleteWorkspace', { workspace_id }, own))
    const deleted = await transport.call('GetWorkspace', { workspace_id }, own)
    t.like(deleted, { ok: false, code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
  })

  test(`${transport.name}: a slug must match the pattern, not be reserved and be unique`, async (t) => {
    const home = await environment.seed.workspace()
    const credentials = {
      token: await environment.token(await environment.seed.newMember(home), home),
    }
    for (const slug of [
      'a',
      '-a',
      'a-',
      'A1',
      'a_b',
      'é1',
      'a'.repeat(64),
      'admin',
      'all',
      'www',
    ]) {
      const outcome = await transport.call('CreateWorkspace', { name: 'x', slug }, credentials)
      t.like(outcome, { ok: false, code: 'invalid_argument' }, slug)
      if (!outcome.ok)
        t.deepEqual(
          outcome.violations.map(({ field }) => field),
          ['slug'],
        )
    }
    const slug = `taken-${transport.name}`
    expectOk(await transport.call('CreateWorkspace', { name: 'x', slug }, credentials))
    const again = await transport.call('CreateWorkspace', { name: 'x', slug }, credentials)
    t.like(again, { ok: false, code: 'already_exists', reason: 'SLUG_TAKEN' })
  })

  test(`${transport.name}: names are one line of 1 to 200 characters, descriptions at most 2,000`, async (t) => {
    const home = await environment.seed.workspace()
    const credentials = {
      token: await environment.token(await environment.seed.newMember(home, 'owner'), home),
    }
    const invalid = [
      { name: '' },
      { name: '   ' },
      { name: 'a\u0000b' },
      { name: 'a\nb' },
      { name: 'x'.repeat(201) },
      { description: 'x'.repeat(2001) },
      { description: 'a\u0000' },
    ]
    for (const change of invalid) {
      const outcome = await transport.call(
        'UpdateWorkspace',
        { workspace_id: home, ...change },
        credentials,
      )
      t.like(outcome, { ok: false, code: 'invalid_argument' }, JSON.stringify(change))
      if (!outcome.ok)
        t.deepEqual(
          outcome.violations.map(({ field }) => field),
          Object.keys(change),
        )
    }
  })

  test(`${transport.name}: each role can call exactly the methods that its rank allows`, async (t) => {
    const { seed, token } = environment
    const home = await seed.workspace()
    const may = { GetWorkspace: 0, UpdateWorkspace: 2, DeleteWorkspace: 3 }
    const roles = ['viewer', 'editor', 'admin', 'owner'] as const
    for (const [rank, role] of roles.entries()) {
      const credentials = { token: await token(await seed.newMember(home, role), home) }
      for (const [method, least] of Object.entries(may)) {
        const outcome = await transport.call(method, { workspace_id: home }, credentials)
        if (rank < least)
          t.like(outcome, { ok: false, code: 'permission_denied', reason: 'ROLE_TOO_LOW' })
        else t.true(outcome.ok, `${role} ${method}`)
      }
    }
  })

  test(`${transport.name}: users can read and change only their own profile`, async (t) => {
    const { seed, token } = environment
    const home = await seed.workspace()
    const ann = await seed.newMember(home, 'viewer', 'ann')
    const credentials = { token: await token(ann, home) }
    const me = expectOk(await transport.call('GetMe', {}, credentials))
    t.like(me, { id: ann, name: 'ann', avatar_url: '', is_active: true })
    const more = { is_admin: true, is_active: false, email: 'x@example.com', id: home }
    const avatar_url = 'https://example.com/ann.png?size=1'
    const outcome = await transport.call('UpdateMe', { name: 'x', ...more }, credentials)
    if (transport.name === 'rest') {
      const fields = expectError(outcome).violations.map(({ field }) => field)
      t.deepEqual(fields, Object.keys(more))
    }
    const changed = expectOk(
      await transport.call('UpdateMe', { name: ' Ann ', avatar_url }, credentials),
    )
    t.deepEqual(changed, { ...me, name: 'Ann', avatar_url })
    t.is(expectOk(await transport.call('UpdateMe', { avatar_url: '' }, credentials)).avatar_url, '')
    for (const avatar_url of ['javascript:alert(1)', 'ftp://x', 'https://a b', 'x']) {
      const outcome = await transport.call('UpdateMe', { avatar_url }, credentials)
      t.like(outcome, { ok: false, code: 'invalid_argument' }, avatar_url)
    }
  })
}
