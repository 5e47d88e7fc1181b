import test from 'ava'
import createClient from 'openapi-fetch'
import type { paths } from '../../gen/browser.ts'
import type { Door } from '../support/doors.ts'
import { openOffice } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

test('a browser’s client, typed by the OpenAPI document, asks and is answered', async (t) => {
  const office = await openOffice(world, world.doors[1] as Door)
  const { owner, viewer } = office.staff
  const { resource_id } = await office.register(owner, { visibility: 'workspace' })
  const daikon = createClient<paths>({
    baseUrl: `http://127.0.0.1:${world.httpPort}`,
    headers: { authorization: `Bearer ${viewer.token}`, 'x-service-key': office.key },
  })
  const asked = { ...office.kind, resource_id, action: 'view' }
  const { data } = await daikon.POST('/permissions/check', { body: { checks: [asked] } })
  t.deepEqual(data?.results, [{ ...asked, allowed: true }])

  const members = await daikon.GET('/workspaces/{workspace_id}/members', {
    params: { path: { workspace_id: office.workspace }, query: { limit: 2 } },
  })
  t.is(members.data?.length, 2)
  const { error, response } = await daikon.GET('/workspaces/{workspace_id}', {
    params: { path: { workspace_id: 'none' } },
  })
  t.is(response.status, 422)
  t.truthy(error)
})
