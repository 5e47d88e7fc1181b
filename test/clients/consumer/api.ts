// Runs in a folder in which the packed client is installed; see package.test.ts.
import assert from 'node:assert/strict'
import {
  createDaikon,
  DaikonError,
  InvalidArgumentError,
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
daikon.close()
process.stdout.write('the client works\n')
