import test from 'ava'
import type { JWK } from 'jose'
import { createKeySet } from '../../../src/identity/providers/key-set.ts'

const key = (kid: string): JWK => ({ kty: 'RSA', kid })

/** A key set with an injected clock, whose provider publishes `published`. */
function createFixture() {
  const provider = { published: ['a'], loads: 0, down: false, time: 0 }
  const find = createKeySet(
    async () => {
      provider.loads += 1
      if (provider.down) throw new Error('down')
      return provider.published.map(key)
    },
    () => provider.time,
  )
  const findId = async (kid: string) => (await find((key) => key.kid === kid))?.kid
  return { provider, findId }
}

test('keys that the provider replaces without overlap are found immediately', async (t) => {
  const { provider, findId } = createFixture()
  t.is(await findId('a'), 'a')
  provider.published = ['b']
  t.deepEqual(await Promise.all([findId('b'), findId('b'), findId('b')]), ['b', 'b', 'b'])
  t.is(await findId('a'), undefined)
  t.is(provider.loads, 2)
})

test('unknown keys cause at most one reload in five seconds', async (t) => {
  const { provider, findId } = createFixture()
  t.is(await findId('a'), 'a')
  for (let count = 0; count < 20; count += 1) t.is(await findId(`forged-${count}`), undefined)
  t.is(provider.loads, 2)
  provider.published = ['b']
  provider.time = 4_999
  t.is(await findId('b'), undefined)
  provider.time = 5_000
  t.is(await findId('b'), 'b')
  t.is(provider.loads, 3)
})

test('a key that the provider removes stops working after five minutes', async (t) => {
  const { provider, findId } = createFixture()
  t.is(await findId('a'), 'a')
  provider.published = ['b']
  provider.time = 299_999
  t.is(await findId('a'), 'a')
  provider.time = 300_000
  t.is(await findId('a'), undefined)
})

test('a failed first load is retried; a failed reload keeps the previous keys', async (t) => {
  const { provider, findId } = createFixture()
  provider.down = true
  await t.throwsAsync(findId('a'), { message: 'down' })
  provider.down = false
  t.is(await findId('a'), 'a')
  provider.down = true
  provider.time = 600_000
  t.is(await findId('a'), 'a')
  t.is(await findId('b'), undefined)
})

test('an ambiguous key is not used', async (t) => {
  const { provider, findId } = createFixture()
  provider.published = ['a', 'a']
  t.is(await findId('a'), undefined)
})
