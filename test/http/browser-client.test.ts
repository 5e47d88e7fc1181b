import test from 'ava'
import createClient from 'openapi-fetch'
import type { paths } from '../../console/gen/rest-api.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

test('a browser client typed by the OpenAPI document calls the API', async (t) => {
  const fixture = await createWorkspaceFixture(environment, environment.transports[1] as Transport)
  const { owner, viewer } = fixture.people
  const { resource_id } = await fixture.register(owner, { visibility: 'workspace' })
  const daikon = createClient<paths>({
    baseUrl: `http://127.0.0.1:${environment.httpPort}`,
    headers: { authorization: `Bearer ${viewer.token}`, 'x-service-key': fixture.key },
  })
  const check = { ...fixture.kind, resource_id, action: 'view' }
  const { data } = await daikon.POST('/permissions/check', { body: { checks: [check] } })
  t.deepEqual(data?.results, [{ ...check, allowed: true }])

  const members = await daikon.GET('/workspaces/{workspace_id}/members', {
    params: { path: { workspace_id: fixture.workspace }, query: { limit: 2 } },
  })
  t.is(members.data?.length, 2)
  const { error, response } = await daikon.GET('/workspaces/{workspace_id}', {
    params: { path: { workspace_id: 'none' } },
  })
  t.is(response.status, 422)
  t.truthy(error)
})
