import { randomUUID } from 'node:crypto'
import test from 'ava'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { type Policy, readStreams } from '../../src/rpc/method.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { sendRawGrpc, sendRawHttp } from '../support/raw-requests.ts'
import {
  createRequestFixture,
  findRowsContaining,
  idFields,
  methodName,
  normalizeOutcome,
  placeholderMessage,
} from '../support/request-fixture.ts'
import { createSignInEnvironment, obtainCode } from '../support/sign-in.ts'
import { createMetadata, type PresentedCredentials, type Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const { operations } = environment.app
test.after.always(() => environment.stop())

/** Ids that the caller may name whosever they are, and why. */
const free: Record<string, string> = {
  'Register workspace_id': 'a service key acts in every workspace',
}

/** Whom an administrator names beside a place, and who has to belong to it. */
const persons = ['user_id', 'grantee_id']
const placed = operations.filter(
  ({ policy, input, key }) =>
    policy.tier === 'admin' &&
    // Anybody may be invited.
    key !== 'addUserToWorkspace' &&
    idFields(input).length > 1 &&
    idFields(input).some((field) => persons.includes(field)),
)

/** Administrators are fenced in nowhere. */
const fenced = operations.filter(
  ({ policy, input }) => policy.tier !== 'admin' && idFields(input).length > 0,
)
const closed = operations.filter(({ policy }) => policy.tier !== 'public')

test('every method has its case: ids are swept, or nobody’s, or an administrator’s', (t) => {
  t.true(fenced.length >= 21)
  t.true(placed.length >= 7)
  for (const operation of operations) {
    const { tier } = operation.policy
    if (fenced.includes(operation) || tier === 'admin') continue
    t.deepEqual(
      operation.route.pathFields.filter((field) => /id$/.test(field)),
      [],
      operation.name,
    )
  }
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  for (const operation of fenced) {
    const method = methodName(operation)

    test(`${method} answers for an id of elsewhere as for a random one ${over}`, async (t) => {
      const grounds = await createRequestFixture(environment, transport)
      const { fixture, stranger } = grounds
      const messageOf = async () =>
        method === 'ExchangeToken' ? newCode(transport) : grounds.message(operation)
      const words = [stranger.workspace, ...Object.values(stranger.people).map(({ id }) => id)]
      const before = await findRowsContaining(environment, words)
      let cases = 0
      for (const field of idFields(operation.input)) {
        if (free[`${method} ${field}`]) continue
        for (const strange of grounds.strangers(field, operation)) {
          const random = randomized(strange, field)
          for (const caller of [fixture.people.owner, fixture.people.viewer]) {
            const shown = grounds.shown(operation, caller)
            const call = async (more: object) =>
              transport.call(method, { ...(await messageOf()), ...more }, shown)
            const [theirs, nobodys] = [await call(strange), await call(random)]
            t.is(
              normalizeOutcome(theirs),
              normalizeOutcome(nobodys),
              `${field} ${normalizeOutcome(theirs)}`,
            )
            cases += 1
          }
        }
      }
      t.true(cases > 0)
      t.deepEqual(await findRowsContaining(environment, words), before)
      // With nothing but the caller's own the same request is answered.
      expectOk(await transport.call(method, await messageOf(), grounds.shown(operation)))
    })
  }

  for (const operation of placed) {
    const method = operation.name

    test(`${method} answers for somebody of elsewhere as for nobody ${over}`, async (t) => {
      const grounds = await createRequestFixture(environment, transport)
      const { stranger } = grounds
      const words = [stranger.workspace, ...Object.values(stranger.people).map(({ id }) => id)]
      const before = await findRowsContaining(environment, words)
      const call = (more: object) => {
        const message = { ...grounds.message(operation), ...more }
        return transport.call(method, message, grounds.shown(operation))
      }
      for (const field of idFields(operation.input).filter((name) => persons.includes(name))) {
        for (const strange of grounds.strangers(field, operation)) {
          const theirs = await call(strange)
          t.is(
            normalizeOutcome(theirs),
            normalizeOutcome(await call(randomized(strange, field))),
            field,
          )
          t.is(expectError(theirs).code, 'not_found')
        }
      }
      t.deepEqual(await findRowsContaining(environment, words), before)
      expectOk(await call({}))
    })
  }

  test(`every method that is not public is 401 without its credentials ${over}`, async (t) => {
    // At least one active service app: keys are asked for (specification 5.5).
    const { fixture } = await createRequestFixture(environment, transport)
    const { key, people } = fixture
    const { token } = people.owner
    t.true(closed.length >= 29)
    for (const operation of closed) {
      for (const shown of tooLittle(operation.policy, { key, token })) {
        const fault = expectError(
          await transport.call(operation.name, placeholderMessage(operation), shown),
        )
        t.is(fault.code, 'unauthenticated', `${operation.name} ${Object.keys(shown)}`)
        if (transport.name === 'rest') t.truthy(fault.headers['www-authenticate'])
      }
    }
  })
}

test('every stream that is not public is UNAUTHENTICATED without its credentials', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { key, people } = (await createRequestFixture(environment, transport)).fixture
  const streams = readStreams(readRegistry())
  t.true(streams.length >= 2)
  for (const { name, policy } of streams) {
    if (policy.tier === 'public') continue
    for (const shown of tooLittle(policy, { key, token: people.owner.token })) {
      const { code } = await sendRawGrpc(
        environment.grpcPort,
        `/${name}`,
        Buffer.alloc(0),
        createMetadata(shown),
      )
      t.is(code, 16, `${name} ${Object.keys(shown)}`)
    }
  }
})

test('every path answers other verbs with 405 and Allow; what stands nowhere is 404', async (t) => {
  const paths = Map.groupBy(operations, ({ route }) => route.path)
  for (const [path, own] of paths) {
    const allowed = own.map(({ route }) => route.verb.toUpperCase())
    const address = path.replace(/\{\w+\}/g, () => randomUUID())
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      if (allowed.includes(method)) continue
      const { status, headers, json } = await sendRawHttp(environment.httpPort, {
        method,
        path: address,
      })
      t.is(status, 405, `${method} ${path}`)
      t.deepEqual(String(headers.allow).split(', ').toSorted(), allowed.toSorted())
      t.is(json.reason, 'METHOD_NOT_ALLOWED')
    }
    const nowhere = await sendRawHttp(environment.httpPort, {
      method: 'PUT',
      path: `/v1${address}`,
    })
    t.deepEqual([nowhere.status, nowhere.json.reason], [404, 'NO_SUCH_ROUTE'])
  }
})

test('a method that gRPC does not have is UNIMPLEMENTED', async (t) => {
  for (const path of ['WorkspaceService/Nothing', 'NoService/Check', 'workspaceservice/check']) {
    const { code } = await sendRawGrpc(environment.grpcPort, `/daikon.v1.${path}`, Buffer.alloc(0))
    t.is(code, 12, path)
  }
})

/** What lets nobody in at the tier. */
function tooLittle(
  { tier }: Policy,
  { key, token }: { key: string; token: string },
): PresentedCredentials[] {
  return {
    public: [],
    user: [{}, { key }, { admin: token }],
    service: [{}, { token }],
    dual: [{}, { token }, { key }],
    admin: [{}, { token }, { key }, { admin: token }],
  }[tier]
}

/** The same, with an id that is nowhere. */
function randomized(strange: Record<string, unknown>, path: string): object {
  const [field = '', ...rest] = path.split('.')
  const value = strange[field]
  if (Array.isArray(value)) {
    const items = value.map((item) =>
      rest.length > 0 ? randomized(item, rest.join('.')) : randomUUID(),
    )
    return { ...strange, [field]: items }
  }
  return { ...strange, [field]: randomUUID() }
}

/** What a newcomer exchanges for tokens of their own workspace. */
async function newCode(transport: Transport): Promise<Record<string, unknown>> {
  return (await obtainCode(transport, environment.addProviderUser())).exchange
}
