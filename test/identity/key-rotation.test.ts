import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { decodeProtectedHeader } from 'jose'
import { advanceRotation, dropKey, listKeys, rotateKeys } from '../../src/identity/key-rotation.ts'
import { createKeyFiles, type KeyPaths, type Keys, readKeys } from '../../src/identity/keys.ts'
import { createTokens } from '../../src/identity/tokens.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.parse('2026-01-01T00:00:00Z')
const schedule = { maxAge: 24 * hour, publicationTime: 15 * minute, retention: 8 * hour }

function createPaths(t: ExecutionContext, now = new Date(start)): KeyPaths {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-rotation-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
  createKeyFiles(paths, now)
  return paths
}

const after = (time: number) => new Date(start + time)
const statesOf = (paths: KeyPaths) => listKeys(paths).map(({ state }) => state)

/** A node that reads the key files at its own time. */
function createNode(paths: KeyPaths, clock: { now: Date }) {
  let keys: Keys | undefined
  const currentKeys = () => keys as Keys
  const tokens = createTokens({ currentKeys, issuer: 'https://a.example', now: () => clock.now })
  const reload = async () => {
    keys = await readKeys(paths)
  }
  return { tokens, reload }
}

test('no token is rejected during scheduled rotations by nodes that reload at different times', async (t) => {
  const paths = createPaths(t)
  const clock = { now: after(0) }
  const [early, late] = [createNode(paths, clock), createNode(paths, clock)]
  const claims = { sub: crypto.randomUUID(), jti: crypto.randomUUID(), wid: crypto.randomUUID() }
  const issued: { token: string; expiresAt: number }[] = []
  const actions: string[] = []
  const kids = new Set<string | undefined>()
  const slow = { maxAge: 24 * hour, publicationTime: 2 * hour, retention: 6 * hour }
  // A key is retained beyond its life because nodes that reload late still sign with it.
  const life = 4 * hour
  await late.reload()
  for (let time = 0; time < 60 * hour; time += hour) {
    clock.now = after(time)
    const { steps, nextStepAt } = advanceRotation(paths, slow, clock.now)
    actions.push(...steps.map(({ action }) => action))
    t.true(nextStepAt > clock.now)
    t.deepEqual(advanceRotation(paths, slow, clock.now).steps, [], 'the same step twice')
    await early.reload()
    for (const node of [early, late]) {
      const token = await node.tokens.sign('refresh', claims, life / 1000)
      kids.add(decodeProtectedHeader(token).kid)
      issued.push({ token, expiresAt: time + life })
    }
    for (const { token, expiresAt } of issued) {
      if (expiresAt <= time) continue
      await t.notThrowsAsync(early.tokens.verify('refresh', token))
      await t.notThrowsAsync(late.tokens.verify('refresh', token))
    }
    await late.reload()
  }
  const rotation = ['published', 'activated', 'dropped']
  t.deepEqual(actions, [...rotation, ...rotation])
  t.is(kids.size, 3)
  t.deepEqual(statesOf(paths), ['signing'])
})

test('the next call completes an interrupted step', (t) => {
  const paths = createPaths(t)
  const next = `${paths.privatePath}.next`
  const before = readFileSync(paths.publicPath)
  const { steps } = advanceRotation(paths, schedule, after(24 * hour))
  t.like(steps, { 0: { action: 'published' }, length: 1 })

  // The private key was written, its public key was not.
  writeFileSync(paths.publicPath, before)
  t.deepEqual(advanceRotation(paths, schedule, after(25 * hour)).steps, [])
  t.deepEqual(statesOf(paths), ['next', 'signing'])

  // The private key was replaced, the dates of the public keys were not.
  renameSync(next, paths.privatePath)
  t.deepEqual(advanceRotation(paths, schedule, after(26 * hour)).steps, [])
  t.like(listKeys(paths), {
    0: { state: 'signing', signing: after(26 * hour) },
    1: { state: 'retired', retired: after(26 * hour) },
  })
  const retired = listKeys(paths)[1]?.kid
  const last = advanceRotation(paths, schedule, after(34 * hour))
  t.deepEqual(last.steps, [{ action: 'dropped', kid: `${retired}` }])
  t.deepEqual(statesOf(paths), ['signing'])
})

test('keys without dates rotate by the age of the file; older keys are retained for the life of their tokens', (t) => {
  const paths = createPaths(t)
  rotateKeys(paths, after(hour))
  const text = readFileSync(paths.publicPath, 'utf8')
  writeFileSync(paths.publicPath, text.replaceAll(/^\w+: .*\n/gm, ''))
  t.deepEqual(
    listKeys(paths).map(({ published }) => published),
    [undefined, undefined],
  )
  utimesSync(paths.privatePath, after(0), after(0))
  const { steps, nextStepAt } = advanceRotation(paths, schedule, after(2 * hour))
  t.deepEqual(steps, [])
  t.deepEqual(nextStepAt, after(10 * hour), 'the older key is dropped after the life of its tokens')
  t.like(listKeys(paths), { 0: { signing: after(0) }, 1: { retired: after(2 * hour) } })
})

test('an immediate rotation discards a published key, and the signing key cannot be dropped', (t) => {
  const paths = createPaths(t)
  advanceRotation(paths, schedule, after(24 * hour))
  t.is(rotateKeys(paths, after(24 * hour)), 2)
  t.false(existsSync(`${paths.privatePath}.next`))
  const [signing, published] = listKeys(paths)
  t.deepEqual(statesOf(paths), ['signing', 'retired', 'retired'])
  t.is(dropKey(paths, String(signing?.kid)), 'signing')
  t.is(dropKey(paths, 'another'), 'unknown')
  t.is(dropKey(paths, String(published?.kid)), 'dropped')
  t.deepEqual(statesOf(paths), ['signing', 'retired'])
})

test('files keep their mode, and two processes cannot change them concurrently', (t) => {
  const paths = createPaths(t)
  const lock = `${paths.privatePath}.lock`
  writeFileSync(lock, '')
  t.throws(() => advanceRotation(paths, schedule, after(0)), { message: /Another process/ })
  // The process that held the lock was killed.
  utimesSync(lock, after(0), after(0))
  advanceRotation(paths, schedule, after(24 * hour))
  t.false(existsSync(lock))
  const mode = (path: string) => statSync(path).mode & 0o777
  t.is(mode(`${paths.privatePath}.next`), 0o600)
  advanceRotation(paths, schedule, after(25 * hour))
  t.is(mode(paths.privatePath), 0o600)
  t.is(mode(paths.publicPath), 0o644)
})
