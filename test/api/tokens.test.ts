import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectOk } from '../support/outcome.ts'
import { sendRawGrpc, sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type WorkspaceFixture,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** The outcomes of the three dual methods for a member. */
async function callDual(
  transport: Transport,
  fixture: WorkspaceFixture,
  { id, token }: Member,
  permission_id: string,
) {
  const { kind, workspace: workspace_id, key } = fixture
  const view = { ...kind, action: 'view' }
  const checks = [{ ...view, resource_id: permission_id }]
  const grantee = { grantee_type: 'user', grantee_id: id, permission: 'view' }
  return [
    await transport.call('Check', { checks }, { token, key }),
    await transport.call('Accessible', { ...view, workspace_id }, { token, key }),
    await transport.call('Share', { permission_id, ...grantee }, { token, key }),
  ]
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test.serial(`a token expires at its exp, even if it was verified before ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { owner } = fixture.people
    const record = await fixture.register(owner)
    t.teardown(() => {
      environment.clock.now = undefined
    })
    const start = Math.floor(Date.now() / 1000) * 1000
    environment.clock.now = new Date(start)
    const token = await environment.token(owner.id, fixture.workspace, { seconds: 60 })
    const uncachedToken = await environment.token(owner.id, fixture.workspace, { seconds: 60 })
    environment.clock.now = new Date(start + 59_999)
    t.true(await fixture.isAllowed({ ...owner, token }, 'view', record))
    for (const milliseconds of [60_000, 60_001, 86_400_000]) {
      environment.clock.now = new Date(start + milliseconds)
      for (const expired of [token, uncachedToken]) {
        const person = { ...owner, token: expired }
        for (const outcome of await callDual(transport, fixture, person, record.id))
          t.like(outcome, { ok: false, code: 'unauthenticated', reason: 'TOKEN_EXPIRED' })
      }
    }
  })

  test(`a missing or malformed authorization header returns 401 ${over}`, async (t) => {
    const { kind, key, people } = await createWorkspaceFixture(environment, transport)
    const checks = [{ ...kind, resource_id: randomUUID(), action: 'view' }]
    const { token } = people.owner
    const [head, body, signature] = token.split('.') as [string, string, string]
    t.like(await transport.call('Check', { checks }, { key }), {
      ok: false,
      reason: 'TOKEN_MISSING',
    })
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Bearer${token}`,
      `Token ${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer ${token} ${token}`,
      `Bearer "${token}"`,
      'Bearer x',
      'Bearer .',
      'Bearer ..',
      'Bearer ...',
      'Bearer null',
      `Bearer ${head}`,
      `Bearer ${head}.${body}`,
      `Bearer ${token}.`,
      `Bearer ${token}=`,
      `Bearer .${body}.x`,
      `Bearer ${head}.${body}.${signature}.${signature}`,
      `Bearer ${body}.${head}.${signature}`,
    ]) {
      const outcome = await transport.call('Check', { checks }, { key, headers: { authorization } })
      t.like(outcome, { ok: false, code: 'unauthenticated' }, authorization)
    }
    const headers = { authorization: `bearer  ${token}` }
    t.true((await transport.call('Check', { checks }, { key, headers })).ok)
  })

  test(`denying a token invalidates it at once ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { owner } = fixture.people
    const record = await fixture.register(owner)
    const jti = randomUUID()
    const token = await environment.token(owner.id, fixture.workspace, { jti })
    t.true(await fixture.isAllowed({ ...owner, token }, 'view', record))
    await environment.seed.denyToken(jti)
    for (const outcome of await callDual(transport, fixture, { ...owner, token }, record.id))
      t.like(outcome, { ok: false, code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
    t.true(await fixture.isAllowed(owner, 'view', record))
  })

  test(`the token of a deactivated or deleted user returns 401 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(fixture.people.owner)
    for (const sql of [
      'update users set is_active = false where id = $1',
      'delete from users where id = $1',
    ]) {
      const person = await fixture.addMember('admin')
      t.true(await fixture.isAllowed(person, 'view', record))
      await environment.pool.query(sql, [person.id])
      for (const outcome of await callDual(transport, fixture, person, record.id))
        t.like(outcome, { ok: false, code: 'unauthenticated', reason: 'USER_INACTIVE' })
    }
  })

  test(`after a member leaves the workspace, every method returns 401 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const person = await fixture.addMember('owner')
    const record = await fixture.register(person, { visibility: 'workspace' })
    await environment.pool.query('delete from members where user_id = $1', [person.id])
    for (const outcome of await callDual(transport, fixture, person, record.id))
      t.like(outcome, { ok: false, code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
  })

  test(`role and groups come from the database, not from the token ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { viewer, owner } = fixture.people
    const record = await fixture.register(owner)
    const group = await environment.seed.group(fixture.workspace, [])
    await fixture.share(owner, record, { group }, 'edit')
    const person = { sub: viewer.id, jti: randomUUID(), email: 'x@example.com', name: 'x' }
    const workspaceClaims = {
      wid: fixture.workspace,
      wslug: 'w',
      wrole: 'owner' as const,
      groups: [group],
    }
    const token = await environment.app.tokens.sign(
      'access',
      { ...person, ...workspaceClaims },
      900,
    )
    t.false(await fixture.isAllowed({ ...viewer, token }, 'view', record))
    const { workspace: workspace_id, kind, key } = fixture
    const request = { ...kind, workspace_id, action: 'view' }
    const response = expectOk(await transport.call('Accessible', request, { token, key }))
    t.like(response, { resource_ids: [], has_full_access: false })

    await environment.pool.query(`update members set role = 'admin' where user_id = $1`, [
      viewer.id,
    ])
    t.true(await fixture.isAllowed(viewer, 'edit', record))
  })

  test(`an oversized token is rejected and does not affect other calls ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { kind, key, people } = fixture
    const checks = [{ ...kind, resource_id: randomUUID(), action: 'view' }]
    const token = `${people.owner.token}${'A'.repeat(10_000)}`
    const outcome = await transport.call('Check', { checks }, { token, key })
    t.like(outcome, { ok: false, code: 'unauthenticated', reason: 'TOKEN_INVALID' })
    // A header beyond the size limit closes the connection, so it gets one of its own.
    const headers = { authorization: `Bearer ${'A'.repeat(100_000)}`, 'x-service-key': key }
    if (transport.name === 'grpc') {
      const path = '/daikon.v1.PermissionService/Check'
      t.not((await sendRawGrpc(environment.grpcPort, path, Buffer.alloc(0), headers)).code, 0)
    } else {
      const cut = sendRawHttp(environment.httpPort, {
        method: 'POST',
        path: '/permissions/check',
        headers,
      })
      const { status } = await cut.catch(() => ({ status: 431 }))
      t.is(status, 431)
    }
    t.true((await transport.call('Check', { checks }, fixture.as(people.owner))).ok)
    t.deepEqual(environment.failures, [])
  })
}
