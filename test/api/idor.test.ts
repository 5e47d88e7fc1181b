import { randomUUID } from 'node:crypto'
import test from 'ava'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { type Policy, readStreams } from '../../src/rpc/method.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { sendRawGrpc, sendRawHttp } from '../support/raw-requests.ts'
import {
  createRequestFixture,
  idFields,
  methodName,
  placeholderMessage,
} from '../support/request-fixture.ts'
import { createSignInEnvironment, obtainCode } from '../support/sign-in.ts'
import { findRowsContaining, normalizeOutcome } from '../support/snapshots.ts'
import { createMetadata, type PresentedCredentials, type Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const { operations } = environment.app
test.after.always(() => environment.stop())

/** ID fields that are not limited to the caller's workspace, and why. */
const unscopedFields: Record<string, string> = {
  'Register workspace_id': 'a service key acts in every workspace',
  'RegisterBatch resources.workspace_id': 'a service key acts in every workspace',
  'AddRoleActions service_action_ids': 'a custom role can grant the actions of every service',
}

/** Fields that identify a user who must belong to the workspace or group of the same request. */
const userFields = ['user_id', 'grantee_id']
const memberOperations = operations.filter(
  ({ policy, input, key }) =>
    policy.tier === 'admin' &&
    // Any user may be added.
    key !== 'addUserToWorkspace' &&
    key !== 'giveSupportAccess' &&
    // The fields of these methods are filters.
    key !== 'listPermissions' &&
    key !== 'listGrants' &&
    key !== 'listDelegations' &&
    // The method explains that a user is not a member.
    key !== 'explainPermission' &&
    idFields(input).length > 1 &&
    idFields(input).some((field) => userFields.includes(field)),
)

/**
 * Methods whose IDs identify clients, or a workspace in addition to a token. They are tested in
 * test/identity/oauth/token.test.ts.
 */
const isOAuthMethod = ({ service, key }: { service: string; key: string }) =>
  service === 'OAuthService' || key === 'switchWorkspace'

/** Administrators may access every workspace. */
const scopedOperations = operations.filter(
  (operation) =>
    operation.policy.tier !== 'admin' &&
    !isOAuthMethod(operation) &&
    idFields(operation.input).length > 0,
)

/** Scoped operations, each also with a user's token if the method accepts one beside its key. */
const scopedCalls = scopedOperations.flatMap((operation) => {
  const { policy } = operation
  if (!policy.optionalUser) return [{ operation, caller: '' }]
  const withUser = { ...operation, policy: { ...policy, tier: 'dual' as const } }
  return [
    { operation, caller: ' by a service' },
    { operation: withUser, caller: ' by a service on behalf of a user' },
  ]
})
const authenticatedOperations = operations.filter(({ policy }) => policy.tier !== 'public')

test('every method with an ID is tested, public or restricted to administrators', (t) => {
  t.true(scopedOperations.length >= 21)
  t.true(memberOperations.length >= 7)
  for (const operation of operations) {
    const { tier } = operation.policy
    if (scopedOperations.includes(operation) || tier === 'admin') continue
    t.deepEqual(
      operation.routes.flatMap(({ pathFields }) => pathFields).filter((field) => /id$/.test(field)),
      [],
      operation.name,
    )
  }
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  for (const { operation, caller } of scopedCalls) {
    const method = methodName(operation)

    test(`${method}${caller} treats IDs of another workspace like unknown IDs ${over}`, async (t) => {
      const requests = await createRequestFixture(environment, transport)
      const { fixture, otherFixture } = requests
      const messageOf = async () =>
        method === 'ExchangeToken' ? exchangeRequest(transport) : messageOfCaller()
      const messageOfCaller = () => {
        const message = requests.message(operation)
        // The subject is the user of the token, or is named.
        const isNamed = method !== 'GetAccessKeys' || operation.policy.tier === 'service'
        return isNamed ? message : { ...message, subject: undefined }
      }
      const foreignNames = [
        otherFixture.workspace,
        ...Object.values(otherFixture.people).map(({ id }) => id),
      ]
      const before = await findRowsContaining(environment, foreignNames)
      let cases = 0
      for (const field of idFields(operation.input)) {
        if (unscopedFields[`${method} ${field}`]) continue
        for (const foreignIds of requests.foreignIds(field, operation)) {
          const random = withRandomId(foreignIds, field)
          for (const caller of [fixture.people.owner, fixture.people.viewer]) {
            const credentials = requests.credentials(operation, caller)
            const call = async (more: object) =>
              transport.call(method, { ...(await messageOf()), ...more }, credentials)
            const [foreign, unknown] = [await call(foreignIds), await call(random)]
            t.is(
              normalizeOutcome(foreign),
              normalizeOutcome(unknown),
              `${field} ${normalizeOutcome(foreign)}`,
            )
            cases += 1
          }
        }
      }
      t.true(cases > 0)
      t.deepEqual(await findRowsContaining(environment, foreignNames), before)
      // The same request succeeds with the caller's own IDs.
      expectOk(await transport.call(method, await messageOf(), requests.credentials(operation)))
    })
  }

  for (const operation of memberOperations) {
    const method = operation.name

    test(`${method} treats users of another workspace like unknown users ${over}`, async (t) => {
      const requests = await createRequestFixture(environment, transport)
      const { otherFixture } = requests
      const foreignNames = [
        otherFixture.workspace,
        ...Object.values(otherFixture.people).map(({ id }) => id),
      ]
      const before = await findRowsContaining(environment, foreignNames)
      const call = (more: object) => {
        const message = { ...requests.message(operation), ...more }
        return transport.call(method, message, requests.credentials(operation))
      }
      for (const field of idFields(operation.input).filter((name) => userFields.includes(name))) {
        for (const foreignIds of requests.foreignIds(field, operation)) {
          const foreign = await call(foreignIds)
          t.is(
            normalizeOutcome(foreign),
            normalizeOutcome(await call(withRandomId(foreignIds, field))),
            field,
          )
          t.is(expectError(foreign).code, 'not_found')
        }
      }
      t.deepEqual(await findRowsContaining(environment, foreignNames), before)
      expectOk(await call({}))
    })
  }

  test(`every non-public method returns 401 without its credentials ${over}`, async (t) => {
    // With an active service app, service keys are required.
    const { fixture } = await createRequestFixture(environment, transport)
    const { key, people } = fixture
    const { token } = people.owner
    t.true(authenticatedOperations.length >= 29)
    for (const operation of authenticatedOperations) {
      for (const credentials of insufficientCredentials(operation.policy, { key, token })) {
        const error = expectError(
          await transport.call(operation.name, placeholderMessage(operation), credentials),
        )
        t.is(error.code, 'unauthenticated', `${operation.name} ${Object.keys(credentials)}`)
        if (transport.name === 'rest') t.truthy(error.headers['www-authenticate'])
      }
    }
  })
}

test('a gRPC request without a field of its REST path is invalid', async (t) => {
  // Without its workspace, it would reach the objects of every workspace.
  const [transport] = environment.transports as [Transport]
  const requests = await createRequestFixture(environment, transport)
  for (const operation of scopedOperations) {
    const isOptional = (name: string) =>
      operation.input.fields.find((field) => field.name === name)?.proto.proto3Optional
    const everyPath = operation.routes.map(({ pathFields }) => pathFields)
    const optional = (everyPath[0] ?? []).filter(
      (field) => isOptional(field) && everyPath.every((fields) => fields.includes(field)),
    )
    for (const field of optional) {
      const message = { ...requests.message(operation), [field]: undefined }
      const outcome = await transport.call(
        operation.name,
        Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined)),
        requests.credentials(operation),
      )
      const { code, violations } = expectError(outcome)
      t.is(code, 'invalid_argument', `${operation.name} ${field}`)
      t.true(violations.some((violation) => violation.field === field))
    }
  }
})

test('every non-public stream returns UNAUTHENTICATED without its credentials', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { key, people } = (await createRequestFixture(environment, transport)).fixture
  const streams = readStreams(readRegistry())
  t.true(streams.length >= 2)
  for (const { name, policy } of streams) {
    if (policy.tier === 'public') continue
    for (const credentials of insufficientCredentials(policy, { key, token: people.owner.token })) {
      const { code } = await sendRawGrpc(
        environment.grpcPort,
        `/${name}`,
        Buffer.alloc(0),
        createMetadata(credentials),
      )
      t.is(code, 16, `${name} ${Object.keys(credentials)}`)
    }
  }
})

test('other verbs on a known path return 405 with Allow; unknown paths return 404', async (t) => {
  const routes = operations
    .filter(({ policy }) => !policy.anyMethod)
    .flatMap((operation) => operation.routes)
  const paths = Map.groupBy(routes, ({ path }) => path)
  for (const [path, own] of paths) {
    const allowed = own.map((route) => route.verb.toUpperCase())
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
    const unknownPath = await sendRawHttp(environment.httpPort, {
      method: 'PUT',
      path: `/v1${address}`,
    })
    t.deepEqual([unknownPath.status, unknownPath.json.reason], [404, 'NO_SUCH_ROUTE'])
  }
})

test('an unknown gRPC method returns UNIMPLEMENTED', async (t) => {
  for (const path of ['WorkspaceService/Nothing', 'NoService/Check', 'workspaceservice/check']) {
    const { code } = await sendRawGrpc(environment.grpcPort, `/daikon.v1.${path}`, Buffer.alloc(0))
    t.is(code, 12, path)
  }
})

/** Credentials that are not sufficient for the tier. */
function insufficientCredentials(
  { tier }: Policy,
  { key, token }: { key: string; token: string },
): PresentedCredentials[] {
  return {
    public: [],
    user: [{}, { key }, { admin: token }],
    service: [{}, { token }],
    dual: [{}, { token }, { key }],
    scim: [{}, { token }, { key }],
    admin: [{}, { token }, { key }, { admin: token }],
  }[tier]
}

/** The same fields with a random ID at `path`. */
function withRandomId(foreignIds: Record<string, unknown>, path: string): object {
  const [field = '', ...rest] = path.split('.')
  const value = foreignIds[field]
  if (Array.isArray(value)) {
    const items = value.map((item) =>
      rest.length > 0 ? withRandomId(item, rest.join('.')) : randomUUID(),
    )
    return { ...foreignIds, [field]: items }
  }
  const random =
    rest.length > 0 ? withRandomId(value as Record<string, unknown>, rest.join('.')) : randomUUID()
  return { ...foreignIds, [field]: random }
}

/** A code exchange request of a new user for their personal workspace. */
async function exchangeRequest(transport: Transport): Promise<Record<string, unknown>> {
  return (await obtainCode(transport, environment.addProviderUser())).exchange
}
