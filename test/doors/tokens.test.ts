import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Door } from '../support/doors.ts'
import { answered } from '../support/ending.ts'
import { type Office, openOffice, type Person } from '../support/office.ts'
import { sendBytes, sendRaw } from '../support/raw.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

/** What the three dual methods answer to somebody. */
async function callDual(door: Door, office: Office, { id, token }: Person, permission_id: string) {
  const { kind, workspace: workspace_id, key } = office
  const view = { ...kind, action: 'view' }
  const checks = [{ ...view, resource_id: permission_id }]
  const grantee = { grantee_type: 'user', grantee_id: id, permission: 'view' }
  return [
    await door.call('Check', { checks }, { token, key }),
    await door.call('Accessible', { ...view, workspace_id }, { token, key }),
    await door.call('Share', { permission_id, ...grantee }, { token, key }),
  ]
}

for (const door of world.doors) {
  const through = `through ${door.name}`

  test.serial(
    `a token expires at its exp, also when it has been seen before ${through}`,
    async (t) => {
      const office = await openOffice(world, door)
      const { owner } = office.staff
      const record = await office.register(owner)
      t.teardown(() => {
        world.clock.now = undefined
      })
      const start = Math.floor(Date.now() / 1000) * 1000
      world.clock.now = new Date(start)
      const token = await world.token(owner.id, office.workspace, { seconds: 60 })
      const unseen = await world.token(owner.id, office.workspace, { seconds: 60 })
      world.clock.now = new Date(start + 59_999)
      t.true(await office.may({ ...owner, token }, 'view', record))
      for (const late of [60_000, 60_001, 86_400_000]) {
        world.clock.now = new Date(start + late)
        for (const expired of [token, unseen]) {
          const person = { ...owner, token: expired }
          for (const ending of await callDual(door, office, person, record.id))
            t.like(ending, { ok: false, kind: 'unauthenticated', reason: 'TOKEN_EXPIRED' })
        }
      }
    },
  )

  test(`a missing or malformed authorization is 401 ${through}`, async (t) => {
    const { kind, key, staff } = await openOffice(world, door)
    const checks = [{ ...kind, resource_id: randomUUID(), action: 'view' }]
    const { token } = staff.owner
    const [head, body, signature] = token.split('.') as [string, string, string]
    t.like(await door.call('Check', { checks }, { key }), { ok: false, reason: 'TOKEN_MISSING' })
    for (const authorization of [
      ...['', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer${token}`, `Token ${token}`],
      ...[`Bearer ${token}, Bearer ${token}`, `Bearer ${token} ${token}`, `Bearer "${token}"`],
      ...['Bearer x', 'Bearer .', 'Bearer ..', 'Bearer ...', 'Bearer null', `Bearer ${head}`],
      ...[`Bearer ${head}.${body}`, `Bearer ${token}.`, `Bearer ${token}=`, `Bearer .${body}.x`],
      ...[
        `Bearer ${head}.${body}.${signature}.${signature}`,
        `Bearer ${body}.${head}.${signature}`,
      ],
    ]) {
      const ending = await door.call('Check', { checks }, { key, headers: { authorization } })
      t.like(ending, { ok: false, kind: 'unauthenticated' }, authorization)
    }
    const headers = { authorization: `bearer  ${token}` }
    t.true((await door.call('Check', { checks }, { key, headers })).ok)
  })

  test(`a denied token is 401 from then on ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { owner } = office.staff
    const record = await office.register(owner)
    const jti = randomUUID()
    const token = await world.token(owner.id, office.workspace, { jti })
    t.true(await office.may({ ...owner, token }, 'view', record))
    await world.seed.denyToken(jti)
    for (const ending of await callDual(door, office, { ...owner, token }, record.id))
      t.like(ending, { ok: false, kind: 'unauthenticated', reason: 'TOKEN_REVOKED' })
    t.true(await office.may(owner, 'view', record))
  })

  test(`a deactivated or deleted user's token is 401 ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const record = await office.register(office.staff.owner)
    for (const sql of [
      'update users set is_active = false where id = $1',
      'delete from users where id = $1',
    ]) {
      const person = await office.hire('admin')
      t.true(await office.may(person, 'view', record))
      await world.pool.query(sql, [person.id])
      for (const ending of await callDual(door, office, person, record.id))
        t.like(ending, { ok: false, kind: 'unauthenticated', reason: 'USER_INACTIVE' })
    }
  })

  test(`a user who left the workspace gets false for a check, 403 for the rest ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const person = await office.hire('owner')
    const record = await office.register(person, { visibility: 'workspace' })
    await world.pool.query('delete from members where user_id = $1', [person.id])
    t.false(await office.may(person, 'view', record))
    t.false(await office.may(person, 'edit', record))
    const [, ...endings] = await callDual(door, office, person, record.id)
    for (const ending of endings)
      t.like(ending, { ok: false, kind: 'forbidden', reason: 'NOT_A_MEMBER' })
  })

  test(`role and groups are today's, whatever the token says of them ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { viewer, owner } = office.staff
    const record = await office.register(owner)
    const group = await world.seed.group(office.workspace, [])
    await office.share(owner, record, { group }, 'edit')
    const person = { sub: viewer.id, jti: randomUUID(), email: 'x@example.com', name: 'x' }
    const place = { wid: office.workspace, wslug: 'w', wrole: 'owner' as const, groups: [group] }
    const token = await world.app.tokens.sign('access', { ...person, ...place }, 900)
    t.false(await office.may({ ...viewer, token }, 'view', record))
    const { workspace: workspace_id, kind, key } = office
    const asked = { ...kind, workspace_id, action: 'view' }
    const listed = answered(await door.call('Accessible', asked, { token, key }))
    t.like(listed, { resource_ids: [], has_full_access: false })

    await world.pool.query(`update members set role = 'admin' where user_id = $1`, [viewer.id])
    t.true(await office.may(viewer, 'edit', record))
  })

  test(`an oversized token is 401 or cut off, and nothing is the worse for it ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { kind, key, staff } = office
    const checks = [{ ...kind, resource_id: randomUUID(), action: 'view' }]
    const token = `${staff.owner.token}${'A'.repeat(10_000)}`
    const ending = await door.call('Check', { checks }, { token, key })
    t.like(ending, { ok: false, kind: 'unauthenticated', reason: 'TOKEN_INVALID' })
    // Beyond what headers may hold, HTTP itself cuts the connection: one of its own here.
    const headers = { authorization: `Bearer ${'A'.repeat(100_000)}`, 'x-service-key': key }
    if (door.name === 'grpc') {
      const path = '/daikon.v1.PermissionService/Check'
      t.not((await sendBytes(world.grpcPort, path, Buffer.alloc(0), headers)).code, 0)
    } else {
      const cut = sendRaw(world.httpPort, { method: 'POST', path: '/permissions/check', headers })
      const { status } = await cut.catch(() => ({ status: 431 }))
      t.is(status, 431)
    }
    t.true((await door.call('Check', { checks }, office.as(staff.owner))).ok)
    t.deepEqual(world.failures, [])
  })
}
