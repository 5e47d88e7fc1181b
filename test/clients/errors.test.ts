import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import {
  createDaikon,
  type DaikonOptions,
  InvalidArgumentError,
  InvalidTokenError,
  PermissionDeniedError,
  UnauthenticatedError,
  UnavailableError,
} from '../../clients/typescript/src/daikon.ts'
import { createCertificateAuthority, hasOpenssl } from '../support/certificates.ts'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const table = readClientCases()
const environment = await startTestEnvironment()
const { serviceKey, values } = await seedClientCases(environment, table)
test.after.always(() => environment.stop())

const address = `127.0.0.1:${environment.grpcPort}`
const subject = { userId: values.bob as string }
const handbook = { type: 'document', id: 'handbook' }

function connect(options: Partial<DaikonOptions> = {}) {
  return createDaikon({ address, service: 'docs', serviceKey, deadlineMs: 60_000, ...options })
}

test('an invalid service key causes an error that names the option', async (t) => {
  const daikon = connect({ serviceKey: 'dk_wrong' })
  t.teardown(() => daikon.close())
  const expected = { instanceOf: UnauthenticatedError, code: 'unauthenticated' }
  for (const call of [
    () => daikon.check(subject, 'view', handbook),
    () => daikon.explain(subject, 'view', handbook),
    () => daikon.setVisibility(handbook, 'private'),
  ]) {
    const error = await t.throwsAsync(call, expected)
    t.is((error as UnauthenticatedError).reason, 'SERVICE_KEY_INVALID')
    t.regex(error?.message ?? '', /Check serviceKey/)
    t.truthy((error as UnauthenticatedError).requestId)
  }
})

test('a missing service key causes an error that explains how to create one', async (t) => {
  const missing = t.throws(() => connect({ serviceKey: undefined }), {
    instanceOf: InvalidArgumentError,
  })
  t.deepEqual(
    missing?.fields.map(({ field }) => field),
    ['serviceKey'],
  )
  t.regex(missing?.message ?? '', /service-app create.*developmentMode/)
  const daikon = connect({ serviceKey: undefined, developmentMode: true })
  t.teardown(() => daikon.close())
  const error = await t.throwsAsync(daikon.check(subject, 'view', handbook))
  t.is((error as UnauthenticatedError).reason, 'SERVICE_KEY_MISSING')
  t.regex(error?.message ?? '', /service-app create/)
})

test('the name of another service causes an error that names the option', async (t) => {
  const daikon = connect({ service: 'other' })
  t.teardown(() => daikon.close())
  const error = await t.throwsAsync(daikon.setVisibility(handbook, 'private'), {
    instanceOf: PermissionDeniedError,
  })
  t.is((error as PermissionDeniedError).reason, 'OTHER_SERVICE')
  t.regex(error?.message ?? '', /Set service to/)
})

test('an address without a server causes an error that names the option', async (t) => {
  for (const options of [
    { address: '127.0.0.1:1' },
    { address: 'daikon.invalid:50051', tls: false },
    { address: `127.0.0.1:${environment.httpPort}` },
  ]) {
    const daikon = connect({ ...options, deadlineMs: 60_000 })
    const error = await t.throwsAsync(daikon.check(subject, 'view', handbook), {
      instanceOf: UnavailableError,
    })
    t.regex(error?.message ?? '', /Check the address/, options.address)
    t.is((error as UnavailableError).reason, 'UNREACHABLE')
    daikon.close()
  }
})

test('invalid options cause an error when the client is created', (t) => {
  const invalid: [Partial<DaikonOptions>, string][] = [
    [{ address: 'http://localhost:8000' }, 'address'],
    [{ address: 'localhost' }, 'address'],
    [{ address: '' }, 'address'],
    [{ service: '' }, 'service'],
    [{ serviceKey: 'dk_key\n' }, 'serviceKey'],
    [{ serviceKey: '' }, 'serviceKey'],
    // What plain JavaScript may pass.
    [{ serviceKey: null as never }, 'serviceKey'],
    [{ deadlineMs: 0 }, 'deadlineMs'],
    [{ maxInFlight: 0.5 }, 'maxInFlight'],
    [{ tls: { ca: 'not a certificate' } }, 'tls'],
    [{ tls: { cert: 'only a certificate' } }, 'tls'],
  ]
  for (const [options, field] of invalid) {
    const error = t.throws(() => connect(options), { instanceOf: InvalidArgumentError })
    t.deepEqual(
      error?.fields.map(({ field }) => field),
      [field],
    )
  }
})

test('arguments that TypeScript would reject cause an error that names the field', async (t) => {
  const daikon = connect()
  t.teardown(() => daikon.close())
  // `any` stands for callers in JavaScript, whose arguments no compiler checks.
  const invalid: [() => Promise<unknown>, string][] = [
    [() => daikon.check(undefined as any, 'view', handbook), 'subject'],
    [() => daikon.check({ id: 'u' } as any, 'view', handbook), 'subject'],
    [() => daikon.check({ token: 5 } as any, 'view', handbook), 'subject'],
    [() => daikon.check(subject, 5 as any, handbook), 'action'],
    [() => daikon.check(subject, 'view', undefined as any), 'resource.type'],
    [() => daikon.check(subject, 'view', { type: 'document', id: 5 } as any), 'resource.id'],
    [
      () => daikon.share(handbook, {} as any, 'view', { as: values['bob.token'] as string }),
      'grantee',
    ],
    [() => daikon.share(handbook, subject, 'view', { as: 'a\nb' }), 'as'],
    [
      () => daikon.checkMany([{ subject, action: 'view', resource: { type: '', id: 'a' } }]),
      'resource.type',
    ],
  ]
  for (const [call, field] of invalid) {
    const error = await t.throwsAsync(call, { instanceOf: InvalidArgumentError }, field)
    t.is((error as InvalidArgumentError).fields[0]?.field, field)
  }
})

test('an ID that only the server can reject fails only its own check', async (t) => {
  const daikon = connect()
  t.teardown(() => daikon.close())
  const [valid, invalid] = await Promise.allSettled([
    daikon.check(subject, 'view', handbook),
    daikon.check(subject, 'view', { type: 'document', id: 'a\u0000b' }),
  ])
  t.like(valid, { status: 'fulfilled', value: true })
  t.true(invalid.status === 'rejected' && invalid.reason instanceof InvalidArgumentError)
})

test('verifyAccessToken rejects tokens that are not access tokens of this issuer', async (t) => {
  const daikon = connect()
  t.teardown(() => daikon.close())
  const [header, claims, signature] = (values['bob.token'] as string).split('.') as string[]
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const decoded = JSON.parse(Buffer.from(claims as string, 'base64url').toString())
  const tokens = {
    'another signature': `${header}.${encode({ ...decoded, sub: values.alice })}.${signature}`,
    'no algorithm': `${encode({ alg: 'none', typ: 'at+jwt' })}.${claims}.${signature}`,
    'an unknown key': `${encode({ alg: 'RS256', typ: 'at+jwt', kid: 'x' })}.${claims}.${signature}`,
    'a refresh token': await environment.app.tokens.sign(
      'refresh',
      { sub: decoded.sub, jti: decoded.jti, wid: decoded.wid },
      900,
    ),
  }
  for (const [name, token] of Object.entries(tokens)) {
    const error = await t.throwsAsync(daikon.verifyAccessToken(token), {
      instanceOf: InvalidTokenError,
    })
    t.is(error?.reason, 'TOKEN_INVALID', name)
  }
  const pinned = connect({ issuer: 'https://auth.example.com' })
  t.teardown(() => pinned.close())
  await t.throwsAsync(pinned.verifyAccessToken(values['bob.token'] as string), {
    instanceOf: InvalidTokenError,
    message: /issuer/,
  })
})

test('a share returns its expiry and rejects an invalid one', async (t) => {
  const daikon = connect()
  t.teardown(() => daikon.close())
  const resource = { type: 'document', id: 'salaries' }
  const grantee = { userId: values.heidi as string }
  const share = (expiresAt: Date) =>
    daikon.share(resource, grantee, 'view', { as: values['dave.token'] as string, expiresAt })
  const expiresAt = new Date(Date.now() + 3_600_000)
  t.deepEqual((await share(expiresAt)).expiresAt, expiresAt)
  t.true(await daikon.check(grantee, 'view', resource))
  for (const invalid of [new Date(0), new Date('invalid')])
    await t.throwsAsync(share(invalid), { instanceOf: InvalidArgumentError })
})

// Runs before the other tests: openssl blocks the process, so that their deadlines would pass.
const testWithOpenssl = hasOpenssl ? test.serial : test.serial.skip

testWithOpenssl(
  'TLS: matching certificates are accepted, and errors for other certificates name the option',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'daikon-tls-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const authority = createCertificateAuthority(folder, 'right')
    const otherAuthority = createCertificateAuthority(folder, 'wrong')
    const { certificate, key } = authority.issue('server')
    const clientPair = authority.issue('client')
    const grpcTls = { certificate, key, clientCa: authority.certificate }
    const node = await environment.addNode({ grpcTls })
    const tlsAddress = `127.0.0.1:${node.grpcPort}`
    const mutual = { ca: authority.certificate, cert: clientPair.certificate, key: clientPair.key }

    const daikon = connect({ address: tlsAddress, tls: mutual })
    t.true(await daikon.check(subject, 'view', handbook))
    daikon.close()

    const rejected: [string, DaikonOptions['tls'], RegExp][] = [
      ['an unknown authority', { ...mutual, ca: otherAuthority.certificate }, /tls\.ca/],
      ['no authority', true, /tls\.ca/],
      ['plaintext', false, /tls/],
      ['no client certificate', { ca: authority.certificate }, /tls/],
      ['another name', { ...mutual, serverName: 'example.com' }, /tls\.serverName/],
    ]
    for (const [name, tls, message] of rejected) {
      const client = connect({ address: tlsAddress, tls })
      const error = await t.throwsAsync(
        client.check(subject, 'view', handbook),
        { instanceOf: UnavailableError },
        name,
      )
      t.regex(error?.message ?? '', message, name)
      client.close()
    }
    const tlsClient = connect({ tls: true })
    const error = await t.throwsAsync(tlsClient.check(subject, 'view', handbook), {
      instanceOf: UnavailableError,
    })
    t.regex(error?.message ?? '', /tls: false/)
    tlsClient.close()
  },
)

test('checks fail as unavailable after the server is drained', async (t) => {
  const node = await environment.addNode()
  const daikon = connect({ address: `127.0.0.1:${node.grpcPort}` })
  t.teardown(() => daikon.close())
  t.true(await daikon.check(subject, 'view', handbook))
  await node.app.drain()
  await t.throwsAsync(daikon.check(subject, 'view', handbook), { instanceOf: UnavailableError })
})
