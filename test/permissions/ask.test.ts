import test from 'ava'
import { createAsk } from '../../src/permissions/engine/ask.ts'
import type { FactsQuery } from '../../src/permissions/engine/facts.ts'

const noUser = {
  tokenDenied: false,
  userActive: false,
  userAdmin: false,
  isServiceAccount: false,
  isGuest: false,
  role: undefined,
}

/** Asks checks on behalf of a key, and records the key and number of checks of each statement. */
function createLoader(keysRequired = false) {
  const services = new Map([['docs key', 'docs']])
  const routes = { version: 'version 1' }
  const statements: string[] = []
  /** The versions of the routes for which the questions were asked. */
  const versions: (string | undefined)[] = []
  const loadFacts = async ({ keyHash = '', checks }: FactsQuery) => {
    statements.push(`${keyHash}: ${checks.length}`)
    const service = services.get(keyHash)
    const routesVersion = service && routes.version
    const status = { ...noUser, service, routesVersion, keysRequired: services.size > 0 }
    return { status, bits: checks.map(() => 1) }
  }
  const loadList = async () => {
    throw new Error('the test asks for no list')
  }
  const loadReasons = async () => []
  const ask = createAsk({ loadFacts, loadList, loadReasons }, { keysRequired })
  const send = async (keyHash: string) => {
    statements.length = 0
    versions.length = 0
    let name: string | undefined
    const { status, facts } = await ask({ keyHash }, (service) => {
      name = service?.name
      versions.push(service?.routesVersion)
      const kind = { serviceName: name ?? 'none', resourceType: 'document' }
      return { checks: [{ ...kind, resourceId: '', action: 'view', subject: {} }] }
    })
    const response = facts && { name, facts: facts.bits.length }
    return { service: status.service, response, statements }
  }
  return { ask, services, routes, send, statements, versions }
}

test('the status of a known key and the facts of its checks are loaded with one statement', async (t) => {
  const { send } = createLoader()
  const response = { name: 'docs', facts: 1 }
  const first = await send('docs key')
  t.deepEqual(first, { service: 'docs', response, statements: ['docs key: 0', 'docs key: 1'] })
  t.deepEqual((await send('docs key')).statements, ['docs key: 1'])
})

test('an unknown or revoked key results in no checks', async (t) => {
  const { send, services } = createLoader(true)
  const rejected = { service: undefined, response: undefined }
  t.deepEqual(await send('other key'), { ...rejected, statements: ['other key: 0'] })
  await send('docs key')
  services.clear()
  t.deepEqual(await send('docs key'), { ...rejected, statements: ['docs key: 1'] })
  t.deepEqual(await send('docs key'), { ...rejected, statements: ['docs key: 0'] })
})

test('the questions for a key that now belongs to another service are asked again', async (t) => {
  const { send, services } = createLoader()
  await send('docs key')
  services.set('docs key', 'wiki')
  t.deepEqual(await send('docs key'), {
    service: 'wiki',
    response: { name: 'wiki', facts: 1 },
    statements: ['docs key: 1', 'docs key: 1'],
  })
})

test('the questions of a service whose routes have changed are asked again', async (t) => {
  const { send, routes, versions, statements } = createLoader()
  await send('docs key')
  routes.version = 'version 2'
  await send('docs key')
  t.deepEqual(versions, ['version 1', 'version 2'])
  await send('docs key')
  t.deepEqual(versions, ['version 2'])
  t.deepEqual(statements, ['docs key: 1'])
})

test('development mode needs only one statement until the first service app exists', async (t) => {
  const { send, services } = createLoader()
  services.clear()
  const response = { name: undefined, facts: 1 }
  await send('any key')
  t.deepEqual(await send('any key'), { service: undefined, response, statements: ['any key: 1'] })
  services.set('docs key', 'docs')
  t.is((await send('any key')).response, undefined)
  t.deepEqual((await send('any key')).statements, ['any key: 0'])
  t.deepEqual((await send('docs key')).response, { name: 'docs', facts: 1 })
})

test('an error of the questions is returned with the status of the caller', async (t) => {
  const { ask, send, statements } = createLoader()
  await send('docs key')
  statements.length = 0
  const error = new Error('invalid')
  const loaded = await ask({ keyHash: 'docs key' }, () => Promise.reject(error))
  t.is(loaded.error, error)
  t.is(loaded.status.service, 'docs')
  t.deepEqual(statements, ['docs key: 0'])
})

test('checks that cannot be true are not loaded, and the facts of the others keep their positions', async (t) => {
  const { ask, statements } = createLoader()
  const check = { serviceName: 'docs', resourceType: 'a', resourceId: '', action: 'view' }
  const { facts } = await ask({ userId: 'a' }, () => ({ checks: [undefined, check, undefined] }))
  t.deepEqual(facts?.bits, [undefined, 1, undefined])
  t.deepEqual(statements, [': 1'])
})
