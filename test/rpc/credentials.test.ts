import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { CredentialKind } from '../../src/core/credential-kind.ts'
import { createServiceKeyKind } from '../../src/identity/credentials/service-key.ts'
import { createUserKind } from '../../src/identity/credentials/user.ts'
import { noResourceServices } from '../../src/identity/default-ports.ts'
import { createTokenMemory, digestToken, type UserClaims } from '../../src/identity/token-memory.ts'
import type { Tokens } from '../../src/identity/tokens.ts'
import { createVerifyAccessToken, createVerifyUserToken } from '../../src/identity/user-tokens.ts'
import { authenticate } from '../../src/rpc/authenticate.ts'
import type { Call } from '../../src/rpc/call.ts'
import { createChooseKinds, createCredentialsVerifier } from '../../src/rpc/credentials.ts'

const second = 1000

const policy = {
  variants: [],
  takesBearerKeys: false,
  leastRole: undefined,
  workspaceField: undefined,
  serviceField: undefined,
  scope: undefined,
  safe: true,
  lenientUser: false,
}
const start = Date.parse('2026-01-01T00:00:00Z')

/**
 * A verifier for tokens of the form `<id> <expiry in seconds>`, which counts its signature checks.
 */
function createVerifier(maxCacheBytes: number) {
  const count = { verified: 0 }
  const keys = { current: new Map() }
  const groups = Array.from({ length: 1000 }, () => randomUUID())
  const verify = async (_type: string, token: string) => {
    count.verified += 1
    const id = randomUUID()
    const exp = start / second + Number(token.split(' ')[1])
    return { type: 'access', sub: id, jti: id, wid: id, email: 'a@example.com', exp, groups }
  }
  const tokens = { verify, verificationKeys: () => keys.current } as unknown as Tokens
  const memory = createTokenMemory(tokens, maxCacheBytes)
  const userTokens = { memory, tokens, resourceServices: noResourceServices }
  const noUse = () => {}
  const kinds = [
    createUserKind(memory, createVerifyUserToken(userTokens), async () => undefined, []),
    createServiceKeyKind({
      keysRequired: true,
      onServiceKeyUsed: noUse,
      onServiceKeyRejected: noUse,
    }),
  ] as CredentialKind[]
  const verifyCredentials = createCredentialsVerifier(createChooseKinds(kinds))
  return {
    count,
    keys,
    memory,
    verifyAccessToken: createVerifyAccessToken(userTokens, () => new Date(start)),
    async run(
      token: string,
      serviceKey: string | undefined,
      seconds = 0,
      credentials = [['service', 'user']],
    ) {
      const { claims } = await verifyCredentials(
        { ...policy, credentials },
        { authorization: `Bearer ${token}`, serviceKey, adminTokens: [] },
        new Date(start + seconds * second),
      )
      const [keyHash, user] = claims as [string, UserClaims]
      return { keyHash, user }
    },
  }
}

test('a token with many different service keys is cached once', async (t) => {
  const { run, count } = createVerifier(10 * 1024)
  const hashes = new Set<string | undefined>()
  for (let index = 0; index < 20_000; index += 1)
    hashes.add((await run('token 900', `key ${index}`)).keyHash)
  t.is(count.verified, 1)
  t.is(hashes.size, 20_000)
})

test('a method that names no kind of credential, or one that no feature brings, is refused', async (t) => {
  const { run, count } = createVerifier(10 * 1024)
  for (const credentials of [[], [['user', 'passport']]])
    await t.throwsAsync(run('a 900', 'key', 0, credentials), { code: 'unauthenticated' })
  t.is(count.verified, 0)
  await run('a 900', 'key', 0, [['passport'], ['service', 'user']])
  t.is(count.verified, 1)
})

test('a kind that returns no claims is refused, unless tokens that are not valid count as absent', (t) => {
  const kinds = [{ name: 'user', provesCaller: true }] as CredentialKind[]
  const call = {} as Call
  const run = (lenientUser: boolean) => () =>
    authenticate(
      { kinds, claims: [undefined] },
      undefined,
      new Date(),
      call,
      { ...policy, lenientUser },
      undefined,
    )
  t.throws(run(false), { code: 'unauthenticated' })
  t.deepEqual(run(true)(), {})
})

test('only the claims that a call needs are cached', async (t) => {
  const { run } = createVerifier(10 * 1024)
  await run('token 900', undefined)
  const { user } = await run('token 900', undefined)
  t.deepEqual(Object.keys(user).sort(), ['email', 'exp', 'jti', 'sub', 'wid'])
})

test('the cache keeps the newest tokens that fit into its bytes', async (t) => {
  const { run, count } = createVerifier(10 * 1024)
  for (let index = 0; index < 100; index += 1) await run(`${index} 900`, undefined)
  for (let index = 90; index < 100; index += 1) await run(`${index} 900`, undefined)
  t.is(count.verified, 100)
  await run('0 900', undefined)
  t.is(count.verified, 101)
})

test('expired tokens make room for others', async (t) => {
  const { run, count } = createVerifier(3 * 1024)
  await run('a 900', undefined)
  await run('b 10', undefined)
  await run('c 10', undefined)
  await run('d 900', undefined, 100)
  await run('a 900', undefined, 100)
  t.is(count.verified, 4)
})

test('replaced verification keys empty the cache', async (t) => {
  const { run, count, keys } = createVerifier(10 * 1024)
  await run('a 900', undefined)
  keys.current = new Map()
  await run('a 900', undefined)
  await run('a 900', undefined)
  t.is(count.verified, 2)
  const pending = run('b 900', undefined)
  keys.current = new Map()
  await pending
  await run('b 900', undefined)
  t.is(count.verified, 4, 'a result of the previous keys is not cached')
})

test('the token of a call is not verified again as the subject of an evaluation', async (t) => {
  const { run, count, verifyAccessToken } = createVerifier(10 * 1024)
  const { user } = await run('a 900', undefined)
  t.is((await verifyAccessToken('a 900')).sub, user.sub)
  await verifyAccessToken('b 900')
  await run('b 900', undefined)
  t.is(count.verified, 2)
})

test('an API key that is remembered as a token is no access token of a subject', async (t) => {
  const { memory, verifyAccessToken } = createVerifier(10 * 1024)
  const user = { sub: 'u', jti: 'k', wid: 'w', exp: 0, email: '' }
  const now = new Date(start)
  memory.remember(digestToken('access', 'da_key'), { user }, start + second, now)
  await t.throwsAsync(verifyAccessToken('da_key'), { code: 'unauthenticated' })
})
