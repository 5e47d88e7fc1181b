import test from 'ava'
import type { PreparedChecks } from '../../src/permissions/decision.ts'
import type { KeyedChecks } from '../../src/permissions/evaluate/load-evaluations.ts'
import { createLoadSubjectFacts } from '../../src/permissions/evaluate/load-subject-facts.ts'

const facts = { userKnown: true, userActive: true, tokenDenied: false, role: undefined, grants: 0 }

/** Creates a loader that records the key and the number of checks of each statement. */
function createLoader(areKeysRequired = false) {
  const services = new Map([['docs key', 'docs']])
  const statements: string[] = []
  const load = createLoadSubjectFacts(async ({ keyHash = '', checks }: KeyedChecks) => {
    statements.push(`${keyHash}: ${checks.length}`)
    const keysRequired = services.size > 0
    return { service: services.get(keyHash), keysRequired, facts: checks.map(() => facts) }
  }, areKeysRequired)
  /** Prepares a check that returns the service for which it was prepared. */
  const prepare = async ({
    name,
  }: {
    name: string | undefined
  }): Promise<PreparedChecks<object>> => {
    const kind = { service_name: name ?? 'none', resource_type: 'document' }
    const check = { ...kind, resource_id: '', action: 'view', subject: {} }
    return { checks: [check], respond: (loaded) => ({ name, facts: loaded.length }) }
  }
  const send = async (keyHash: string) => {
    statements.length = 0
    const { status, respond } = await load(keyHash, prepare)
    return { service: status.service, response: respond && (await respond()), statements }
  }
  return { services, send }
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

test('the checks of a key that now belongs to another service are prepared again', async (t) => {
  const { send, services } = createLoader()
  await send('docs key')
  services.set('docs key', 'wiki')
  t.deepEqual(await send('docs key'), {
    service: 'wiki',
    response: { name: 'wiki', facts: 1 },
    statements: ['docs key: 1', 'docs key: 1'],
  })
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
