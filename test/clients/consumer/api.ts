// Runs in a folder in which the packed client is installed; see package.test.ts.
import assert from 'node:assert/strict'
import {
  type Condition,
  createDaikon,
  DaikonError,
  type Grantee,
  InvalidArgumentError,
  type NewLink,
  type Registration,
  type Resource,
  resourceId,
  type Subject,
} from '@daikon-auth/client'
import { PermissionServiceService, type permissions } from '@daikon-auth/client/grpc'

const { ADDRESS = '', KEY = '', TOKEN = '', WORKSPACE = '' } = process.env

const daikon = createDaikon({
  address: ADDRESS,
  service: 'docs',
  serviceKey: KEY,
  deadlineMs: 30_000,
})
const subject: Subject = { token: TOKEN }
const handbook: Resource = { type: 'document', id: 'handbook' }

assert.equal(await daikon.check(subject, 'edit', handbook), true)
const many: boolean[] = await daikon.checkMany([
  { subject, action: 'edit', resource: handbook },
  { subject, action: 'edit', resource: { type: 'document', id: 'salaries' } },
])
assert.deepEqual(many, [true, false])
const ids: string[] = []
for await (const id of daikon.accessible(subject, 'edit', 'document', { workspaceId: WORKSPACE }))
  ids.push(id)
assert.deepEqual(ids.toSorted(), ['handbook', 'plans/2026'])
const { allowed, reasons } = await daikon.explain(subject, 'edit', handbook)
assert.deepEqual([allowed, reasons[0]?.rule], [true, 'workspace_visibility'])
const { wid } = await daikon.verifyAccessToken(TOKEN)
assert.equal(wid, WORKSPACE)

const request: permissions.AccessibleResourcesRequest = {
  service_name: 'docs',
  resource_type: 'document',
  action: 'edit',
  workspace_id: WORKSPACE,
  limit: 1,
}
const page = await daikon.call(PermissionServiceService.accessible, request, { as: TOKEN })
assert.equal(page.has_full_access, false)

try {
  await daikon.check(subject, 'edit', { type: 'document', id: '' })
  assert.fail('An empty ID is invalid')
} catch (error) {
  if (!(error instanceof InvalidArgumentError)) throw error
  assert.ok(error instanceof DaikonError)
  assert.deepEqual(
    error.fields.map(({ field }) => field),
    ['resource.id'],
  )
}
assert.equal(resourceId('docs', 'document', 'handbook'), daikon.resourceId(handbook))
// @ts-expect-error A subject needs a token or the ID of a user.
const invalid: Subject = { name: 'bob' }
assert.ok(invalid)
// @ts-expect-error A grantee is named in exactly one way.
const noGrantee: Grantee = { name: 'bob' }
assert.ok(noGrantee)
// @ts-expect-error An owner is required.
const noOwner: Registration = { type: 'document', id: 'x', workspaceId: WORKSPACE }
assert.ok(noOwner)
// @ts-expect-error A condition has a name.
const noName: Condition = { params: { max: 5 } }
assert.ok(noName)

const report = { type: 'report', id: 'api' }
const ownerEmail = 'bob@acme.example'
await daikon.register({
  ...report,
  workspaceId: WORKSPACE,
  ownerEmail,
  attributes: { team: 'red' },
})
const condition: Condition = { name: 'up_to', params: { max: 5 } }
await daikon.share(report, { group: 'writers' }, { role: 'reader' }, { as: TOKEN, condition })
const created: NewLink = await daikon.createLink(report, 'view', { as: TOKEN, name: 'Board' })
assert.equal(await daikon.check({ link: created.token }, 'view', report), true)
const [link] = await daikon.links(report, { as: TOKEN })
assert.equal(link?.name, 'Board')
const types = await daikon.resourceTypes()
const declared = types.find(({ type }) => type === 'issue')
assert.deepEqual(declared?.roles[0]?.actions, ['view', 'translate'])
const viewers: string[] = []
for await (const id of daikon.subjects('view', report)) viewers.push(id)
assert.ok(viewers.includes('hr-1002'))
daikon.close()
process.stdout.write('the client works\n')
