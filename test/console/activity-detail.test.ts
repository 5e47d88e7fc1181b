import test from 'ava'
import { describeAction } from '../../console/src/activity/describe.ts'
import { readDetail } from '../../console/src/activity/detail.ts'

const id = '0197a1b2-c3d4-7e5f-8a6b-0123456789ab'

test('the detail of an event is read as a change, objects, times and words', (t) => {
  t.deepEqual(
    readDetail({
      action: 'member.role_changed',
      target_id: id,
      detail: { from: 'viewer', to: 'editor' },
    }),
    {
      change: {
        label: 'Role',
        from: { kind: 'text', text: 'Viewer' },
        to: { kind: 'text', text: 'Editor' },
      },
      fields: [],
    },
  )
  const { fields } = readDetail({
    action: 'permission.shared',
    target_id: id,
    detail: {
      expires_at: '2030-01-01T00:00:00Z',
      grantee_id: id,
      permission: 'edit',
      added: 'none',
    },
  })
  t.deepEqual(
    fields.map(({ label, values }) => [label, values[0]]),
    [
      ['Permission', { kind: 'text', text: 'edit' }],
      ['With', { kind: 'object', id }],
      ['Ends', { kind: 'time', time: '2030-01-01T00:00:00Z' }],
    ],
  )
})

test('a row omits what the target shows, unless there is no target', (t) => {
  const read = (target_id: string | null) =>
    readDetail({ action: 'group.created', target_id, detail: { name: 'Design' } }).fields
  t.like(read(id), [{ label: 'Name', isMain: false }])
  t.like(read(null), [{ label: 'Name', isMain: true }])
})

test('a list of IDs is read as objects, and other text as it is', (t) => {
  const read = (user_ids: string) =>
    readDetail({ action: 'group.members_added', target_id: id, detail: { user_ids } }).fields[0]
      ?.values
  t.deepEqual(read(`${id}, ${id}`), [
    { kind: 'object', id },
    { kind: 'object', id },
  ])
  t.deepEqual(read('one, two'), [{ kind: 'text', text: 'one, two' }])
})

test('actions are named in plain English', (t) => {
  t.is(describeAction('api_key.created'), 'API key created')
  t.is(describeAction('role.member_added'), 'Role given to a person')
  t.is(describeAction('workspace.deleted'), 'Workspace deleted')
})
