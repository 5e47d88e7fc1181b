import {
  createPrivateKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { CompactSign, exportJWK, exportSPKI, type JWTHeaderParameters, SignJWT } from 'jose'
import { createKeyFiles, readKeys } from '../../src/identity/keys.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type WorkspaceFixture } from '../support/workspace-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'daikon-forge-'))
const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
createKeyFiles(paths)
const keys = await readKeys(paths)
const { kid } = keys.signer
const signing = createPrivateKey(readFileSync(paths.privatePath))
const environment = await startTestEnvironment({}, undefined, {
  currentKeys: () => keys,
})
test.after.always(async () => {
  rmSync(folder, { recursive: true })
  await environment.stop()
})

const publicKey = keys.verifying.get(kid) as KeyObject
const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 })
const now = Math.floor(Date.now() / 1000)
const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The claims of a valid token; `undefined` in `more` removes a claim. */
function claimsOf(
  fixture: WorkspaceFixture,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const person = { sub: fixture.people.owner.id, email: 'o@example.com', name: 'o' }
  const workspaceClaims = { wid: fixture.workspace, wslug: 'w', wrole: 'owner', groups: [] }
  const life = { jti: randomUUID(), type: 'access', iat: now, exp: now + 900 }
  return {
    ...person,
    ...workspaceClaims,
    ...life,
    iss: 'http://localhost:8000',
    aud: 'daikon',
    ...more,
  }
}

function sign(claims: object, header: object = {}, key: unknown = signing): Promise<string> {
  const protectedHeader = { alg: 'RS256', typ: 'at+jwt', kid, ...header } as JWTHeaderParameters
  return new SignJWT({ ...claims }).setProtectedHeader(protectedHeader).sign(key as never)
}

async function call(transport: Transport, fixture: WorkspaceFixture, token: string) {
  const checks = [{ ...fixture.kind, resource_id: randomUUID(), action: 'view' }]
  return transport.call('Check', { checks }, { token, key: fixture.key })
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a valid token is accepted, so the rejections below are meaningful ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    t.true((await call(transport, fixture, await sign(claimsOf(fixture)))).ok)
  })

  test(`an HMAC signed with the public key returns 401 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const pem = await exportSPKI(publicKey)
    const secrets = [
      ...[pem, pem.trim(), JSON.stringify(await exportJWK(publicKey)), kid].map((text) =>
        Buffer.from(text),
      ),
      publicKey.export({ type: 'spki', format: 'der' }),
    ]
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      for (const secret of secrets) {
        // jose rejects HMAC secrets that are shorter than the hash.
        const padded = secret.length < 64 ? Buffer.concat([secret], 64) : secret
        const token = await sign(claimsOf(fixture), { alg }, padded)
        t.like(await call(transport, fixture, token), { ok: false, code: 'unauthenticated' })
      }
    }
  })

  test(`alg none in any spelling, or an empty signature, returns 401 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const body = segment(claimsOf(fixture))
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, undefined, 'RS256', ['RS256']]) {
      for (const signature of ['', 'AA', 'e30']) {
        const token = `${segment({ alg, typ: 'at+jwt', kid })}.${body}.${signature}`
        t.like(await call(transport, fixture, token), { ok: false, code: 'unauthenticated' })
      }
    }
  })

  test(`another algorithm with the server's own key returns 401 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    for (const alg of ['RS384', 'RS512', 'PS256', 'PS512']) {
      const token = await sign(claimsOf(fixture), { alg })
      t.like(await call(transport, fixture, token), { ok: false, code: 'unauthenticated' })
    }
  })

  test(`keys in a token's header are ignored ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const jwk = await exportJWK(attacker.publicKey)
    const url = 'http://127.0.0.1:9/keys'
    for (const header of [
      {},
      { jwk },
      { jwk, kid: undefined },
      { jwk: { ...jwk, kid } },
      { jku: url },
      { x5u: url },
      { x5c: ['MIIB'] },
      { x5t: 'AAAA' },
      { kid: undefined },
      { kid: '' },
      '../../dev/null',
      '/dev/null',
      paths.publicPath,
      "' or 1=1 --",
      'a\u0000b',
      '__proto__',
    ].map((header) => (typeof header === 'string' ? { kid: header } : header))) {
      const token = await sign(claimsOf(fixture), header, attacker.privateKey)
      t.like(await call(transport, fixture, token), { ok: false, code: 'unauthenticated' })
    }
    for (const invalidKid of [{}, [], [kid], 1, null, true, { toString: kid }]) {
      const header = segment({ alg: 'RS256', kid: invalidKid })
      const token = `${header}.${segment(claimsOf(fixture))}.AAAA`
      t.like(await call(transport, fixture, token), { ok: false, code: 'unauthenticated' })
    }
    const critical = `${segment({ alg: 'RS256', kid, crit: ['x'], x: 1 })}.${segment(claimsOf(fixture))}`
    const signature = createSign('RSA-SHA256').update(critical).sign(signing, 'base64url')
    const outcome = await call(transport, fixture, `${critical}.${signature}`)
    t.like(outcome, { ok: false, code: 'unauthenticated' })
  })

  test(`an invalid iss, aud, type, lifetime or ID under a valid signature returns 401 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    for (const more of [
      { iss: undefined },
      { iss: 'http://localhost:8000/' },
      { iss: 'https://evil.example' },
      { aud: undefined },
      { aud: 'Daikon' },
      { aud: ['other'] },
      { aud: 1 },
      ...['refresh', 'admin_access', 'Access', undefined, null, ['access']].map((type) => ({
        type,
      })),
      { exp: undefined },
      { exp: null },
      { exp: 0 },
      { exp: -1 },
      { exp: `${now + 900}` },
      { exp: now - 1 },
      { nbf: now + 900 },
      { nbf: 'soon' },
      ...['sub', 'jti', 'wid'].flatMap((name) =>
        [undefined, null, '', 'x', 1, {}, `${randomUUID()}\n`, '%'].map((id) => ({ [name]: id })),
      ),
    ]) {
      const token = await sign(claimsOf(fixture, more))
      const outcome = await call(transport, fixture, token)
      t.like(outcome, { ok: false, code: 'unauthenticated' }, JSON.stringify(more))
    }
  })

  test(`a payload without claims, or changed after signing, returns 401 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    for (const payload of ['', 'x', '[]', 'null', '"x"', '1', '{', '{"a":1', '\u0000']) {
      const token = await new CompactSign(Buffer.from(payload))
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
        .sign(signing)
      t.like(await call(transport, fixture, token), { ok: false, code: 'unauthenticated' }, payload)
    }
    const token = await sign(claimsOf(fixture))
    const [head, body, signature] = token.split('.') as [string, string, string]
    const other = segment(claimsOf(fixture, { sub: fixture.people.admin.id }))
    const bit = signature.startsWith('A') ? 'B' : 'A'
    for (const changed of [
      `${head}.${other}.${signature}`,
      `${head}.${body}.${bit}${signature.slice(1)}`,
      `${segment({ alg: 'RS256', kid, x: 1 })}.${body}.${signature}`,
      `${head}.${body}.${signature}A`,
      `${head}.${body}.${signature.slice(0, -4)}`,
    ])
      t.like(await call(transport, fixture, changed), { ok: false, code: 'unauthenticated' })
    t.true((await call(transport, fixture, token)).ok)
  })

  test(`the Access API says why a token is not valid ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { resource_type: type } = fixture.kind
    const resource = { type, id: randomUUID() }
    const action = { name: 'view' }
    const ask = async (method: string, message: object) => {
      const outcome = await transport.call(method, message, { key: fixture.key })
      return expectOk(outcome) as Record<string, any>
    }
    for (const [reason, token] of [
      ['TOKEN_INVALID', await sign(claimsOf(fixture), {}, attacker.privateKey)],
      ['TOKEN_INVALID', await sign(claimsOf(fixture, { iss: 'https://other.example' }))],
      ['TOKEN_EXPIRED', await sign(claimsOf(fixture, { exp: now - 1 }))],
      [undefined, await sign(claimsOf(fixture))],
    ] as const) {
      const subject = { type: 'access_token', id: token }
      const { context } = await ask('Evaluate', { subject, action, resource })
      t.is(context?.subject_error.reason, reason)
      t.regex(context?.subject_error.message ?? 'The token ', /^The token /)
      const explain = { explain: true }
      const explained = await ask('Evaluate', { subject, action, resource, context: explain })
      t.deepEqual(explained.context.subject_error, context?.subject_error)
      const user = { type: 'user', id: fixture.people.owner.id }
      const evaluations = [{ subject: user }, { subject }, { subject: { ...subject } }]
      const batch = await ask('EvaluateBatch', { action, resource, evaluations })
      t.deepEqual(
        batch.evaluations.map((evaluation: { context?: object }) => evaluation.context),
        [undefined, context, context],
      )
      const found = await ask('SearchResources', { subject, action, resource: { type } })
      t.deepEqual(found.context, context)
      t.deepEqual((await ask('SearchActions', { subject, resource })).context, context)
    }
  })

  test.after(`no forged token caused a server error ${over}`, (t) => {
    t.deepEqual(environment.failures, [])
  })
}
