import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

test('groups can be nested, listed with their members, and unnested', async (t) => {
  const workspace = await seed.workspace()
  const slug = `w-${workspace}`
  const person = await seed.newMember(workspace)
  const parent = await seed.group(workspace, [], 'Engineering')
  const child = await seed.group(workspace, [person], 'Backend')
  const run = (...args: string[]) => runCli(environment.databaseUrl, 'group', ...args)

  t.deepEqual(await run('nest', slug, 'Engineering', 'Backend'), {
    out: 'Backend is now in Engineering.\n',
    err: '',
    status: 0,
  })
  const listed = await run('list', slug, '--json')
  t.deepEqual(JSON.parse(listed.out), [
    { id: child, name: 'Backend', in: 'Engineering' },
    { id: parent, name: 'Engineering', in: '' },
  ])
  const members = await run('members', slug, 'Engineering', '--json')
  t.deepEqual(JSON.parse(members.out), [
    { user_id: person, email: `viewer-${person}@example.com`, via: 'Backend' },
  ])

  const cycle = await run('nest', slug, 'Backend', parent)
  t.is(cycle.out, '')
  t.not(cycle.status, 0)
  t.is(cycle.err, 'The child contains the group, or is the group itself\n')
  t.is((await run('nest', slug, 'Engineering', 'Unknown')).err, 'Group not found\n')
  t.is((await run('list', 'unknown')).err, 'Workspace not found\n')

  t.is((await run('unnest', slug, 'Engineering', child)).status, 0)
  t.deepEqual(JSON.parse((await run('members', slug, parent, '--json')).out), [])
  t.deepEqual(
    (await listActivity(pool, parent)).map(({ action, actor_id }) => [action, actor_id]),
    [
      ['group.child_added', null],
      ['group.child_removed', null],
    ],
  )
})
