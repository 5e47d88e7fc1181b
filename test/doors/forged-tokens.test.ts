import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { CompactSign, exportJWK, exportSPKI, type JWTHeaderParameters, SignJWT } from 'jose'
import { makeKeys, readKeys } from '../../src/identity/keys.ts'
import type { Door } from '../support/doors.ts'
import { type Office, openOffice } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'daikon-forge-'))
const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
makeKeys(paths)
const keys = await readKeys(paths)
const { kid, signing } = keys
const world = await startWorld({}, undefined, { keys })
test.after.always(async () => {
  rmSync(folder, { recursive: true })
  await world.stop()
})

const publicKey = keys.verifying.get(kid) as Parameters<typeof exportSPKI>[0]
const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 })
const now = Math.floor(Date.now() / 1000)
const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** What a token of ours says; undefined takes a claim out. */
function claimsOf(office: Office, more: Record<string, unknown> = {}): Record<string, unknown> {
  const person = { sub: office.staff.owner.id, email: 'o@example.com', name: 'o' }
  const place = { wid: office.workspace, wslug: 'w', wrole: 'owner', groups: [] }
  const life = { jti: randomUUID(), type: 'access', iat: now, exp: now + 900 }
  return { ...person, ...place, ...life, iss: 'http://localhost:8000', aud: 'daikon', ...more }
}

function sign(claims: object, header: object = {}, key: unknown = signing): Promise<string> {
  const protectedHeader = { alg: 'RS256', typ: 'JWT', kid, ...header } as JWTHeaderParameters
  return new SignJWT({ ...claims }).setProtectedHeader(protectedHeader).sign(key as never)
}

async function call(door: Door, office: Office, token: string) {
  const checks = [{ ...office.kind, resource_id: randomUUID(), action: 'view' }]
  return door.call('Check', { checks }, { token, key: office.key })
}

for (const door of world.doors) {
  const through = `through ${door.name}`

  test(`a token of ours is let in, so that the refusals below mean something ${through}`, async (t) => {
    const office = await openOffice(world, door)
    t.true((await call(door, office, await sign(claimsOf(office)))).ok)
  })

  test(`an HMAC with the public key as its secret is 401 ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const pem = await exportSPKI(publicKey)
    const secrets = [
      ...[pem, pem.trim(), JSON.stringify(await exportJWK(publicKey)), kid].map((text) =>
        Buffer.from(text),
      ),
      (publicKey as any).export({ type: 'spki', format: 'der' }) as Buffer,
    ]
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      for (const secret of secrets) {
        // Longer secrets than the hash's block are fine; jose wants no shorter ones.
        const padded = secret.length < 64 ? Buffer.concat([secret], 64) : secret
        const token = await sign(claimsOf(office), { alg }, padded)
        t.like(await call(door, office, token), { ok: false, kind: 'unauthenticated' })
      }
    }
  })

  test(`alg none in every spelling, and an empty signature, are 401 ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const body = segment(claimsOf(office))
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, undefined, 'RS256', ['RS256']]) {
      for (const signature of ['', 'AA', 'e30']) {
        const token = `${segment({ alg, typ: 'JWT', kid })}.${body}.${signature}`
        t.like(await call(door, office, token), { ok: false, kind: 'unauthenticated' })
      }
    }
  })

  test(`another algorithm by our own key is 401 ${through}`, async (t) => {
    const office = await openOffice(world, door)
    for (const alg of ['RS384', 'RS512', 'PS256', 'PS512']) {
      const token = await sign(claimsOf(office), { alg })
      t.like(await call(door, office, token), { ok: false, kind: 'unauthenticated' })
    }
  })

  test(`no key is taken from a token's header ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const jwk = await exportJWK(attacker.publicKey)
    const url = 'http://127.0.0.1:9/keys'
    for (const header of [
      ...[{}, { jwk }, { jwk, kid: undefined }, { jwk: { ...jwk, kid } }, { jku: url }],
      ...[{ x5u: url }, { x5c: ['MIIB'] }, { x5t: 'AAAA' }, { kid: undefined }, { kid: '' }],
      ...['../../dev/null', '/dev/null', paths.publicPath, "' or 1=1 --", 'a\u0000b', '__proto__'],
    ].map((header) => (typeof header === 'string' ? { kid: header } : header))) {
      const token = await sign(claimsOf(office), header, attacker.privateKey)
      t.like(await call(door, office, token), { ok: false, kind: 'unauthenticated' })
    }
    for (const odd of [{}, [], [kid], 1, null, true, { toString: kid }]) {
      const header = segment({ alg: 'RS256', kid: odd })
      const token = `${header}.${segment(claimsOf(office))}.AAAA`
      t.like(await call(door, office, token), { ok: false, kind: 'unauthenticated' })
    }
    const critical = `${segment({ alg: 'RS256', kid, crit: ['x'], x: 1 })}.${segment(claimsOf(office))}`
    const signature = createSign('RSA-SHA256').update(critical).sign(signing, 'base64url')
    const ending = await call(door, office, `${critical}.${signature}`)
    t.like(ending, { ok: false, kind: 'unauthenticated' })
  })

  test(`wrong iss, aud, type, life or ids under our own signature are 401 ${through}`, async (t) => {
    const office = await openOffice(world, door)
    for (const more of [
      ...[{ iss: undefined }, { iss: 'http://localhost:8000/' }, { iss: 'https://evil.example' }],
      ...[{ aud: undefined }, { aud: 'Daikon' }, { aud: ['other'] }, { aud: 1 }],
      ...['refresh', 'admin_access', 'Access', undefined, null, ['access']].map((type) => ({
        type,
      })),
      ...[{ exp: undefined }, { exp: null }, { exp: 0 }, { exp: -1 }, { exp: `${now + 900}` }],
      ...[{ exp: now - 1 }, { nbf: now + 900 }, { nbf: 'soon' }],
      ...['sub', 'jti', 'wid'].flatMap((name) =>
        [undefined, null, '', 'x', 1, {}, `${randomUUID()}\n`, '%'].map((id) => ({ [name]: id })),
      ),
    ]) {
      const token = await sign(claimsOf(office, more))
      const ending = await call(door, office, token)
      t.like(ending, { ok: false, kind: 'unauthenticated' }, JSON.stringify(more))
    }
  })

  test(`a payload that is no claims, or was changed after signing, is 401 ${through}`, async (t) => {
    const office = await openOffice(world, door)
    for (const payload of ['', 'x', '[]', 'null', '"x"', '1', '{', '{"a":1', '\u0000']) {
      const token = await new CompactSign(Buffer.from(payload))
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
        .sign(signing)
      t.like(await call(door, office, token), { ok: false, kind: 'unauthenticated' }, payload)
    }
    const token = await sign(claimsOf(office))
    const [head, body, signature] = token.split('.') as [string, string, string]
    const other = segment(claimsOf(office, { sub: office.staff.admin.id }))
    const bit = signature.startsWith('A') ? 'B' : 'A'
    for (const changed of [
      `${head}.${other}.${signature}`,
      `${head}.${body}.${bit}${signature.slice(1)}`,
      `${segment({ alg: 'RS256', kid, x: 1 })}.${body}.${signature}`,
      `${head}.${body}.${signature}A`,
      `${head}.${body}.${signature.slice(0, -4)}`,
    ])
      t.like(await call(door, office, changed), { ok: false, kind: 'unauthenticated' })
    t.true((await call(door, office, token)).ok)
  })

  test.after(`no forgery was a fault of ours ${through}`, (t) => {
    t.deepEqual(world.failures, [])
  })
}
