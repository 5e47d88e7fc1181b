// Threat: grants that outlive: a stream that began before the grant ended goes on.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { credentials, type ServiceError } from '@grpc/grpc-js'
import test from 'ava'
import { decodeJwt } from 'jose'
import { PermissionServiceClient } from '../../gen/daikon/v1/permissions.ts'
import { createAdmin } from '../support/admin.ts'
import { createConsentSteps } from '../support/consent.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import { readStatusDetails } from '../support/status-details.ts'
import { createMetadata, type Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openChangesOver } from '../support/watch.ts'

const environment = await createSignInEnvironment()
const admin = await createAdmin(environment)
// The grant ends on the first node.
const nodes = { 'the same node': environment, 'another node': await environment.addNode() }
const [grpc] = environment.transports as [Transport]
test.after.always(() => environment.stop())

type Connected = Awaited<ReturnType<ReturnType<typeof createConsentSteps>['connect']>>

/** Ends the only grant of a user. */
async function endGrant(transport: Transport, { tokens }: Connected) {
  const { rows } = await environment.pool.query('select id from consents where user_id = $1', [
    decodeJwt(tokens.access_token).sub,
  ])
  const message = { grant_id: rows[0].id }
  expectOk(await transport.call('DeleteGrant', message, { admin: admin.token }))
}

for (const [name, node] of Object.entries(nodes)) {
  test.serial(`a stream of checks for an app ends with its grant, on ${name}`, async (t) => {
    const { connect, refresh } = createConsentSteps(environment, grpc)
    const connected = await connect()
    const { api, client, tokens } = connected
    const service = new PermissionServiceClient(
      `127.0.0.1:${node.grpcPort}`,
      credentials.createInsecure(),
    )
    t.teardown(() => service.close())
    const presented = { token: tokens.access_token, key: api.key }
    const kind = { service_name: api.service, resource_type: 'document', action: 'view' }
    const stream = service.checkStream(createMetadata(presented))
    const ask = (correlation_id: string) =>
      stream.write({ correlation_id, check: { ...kind, resource_id: randomUUID() } })
    // Another grant, and a new token of this one, change nothing.
    const unrelated = await connect()
    expectOk(await refresh(client, tokens.refresh_token))
    await endGrant(grpc, unrelated)
    ask('before')
    const [answer] = await once(stream, 'data')
    t.deepEqual(answer, { correlation_id: 'before', allowed: false })
    await endGrant(grpc, connected)
    const ended = new Promise<ServiceError | undefined>((resolve) => {
      stream.on('error', resolve).on('data', () => resolve(undefined))
    })
    ask('after')
    const error = await ended
    t.is(error?.code, 16)
    t.is(error && readStatusDetails(error.metadata).reason, 'TOKEN_REVOKED')
  })
}

for (const transport of environment.transports) {
  test.serial(
    `the watches of an app end with its grant, on every node over ${transport.label}`,
    async (t) => {
      const { connect } = createConsentSteps(environment, transport)
      const connected = await connect({ resource: '', scope: 'openid' })
      const { access_token: token } = connected.tokens
      const openAll = () =>
        Object.values(nodes).map((node) => openChangesOver[transport.name](node, { token }))
      const watches = openAll()
      for (const { stop } of watches) t.teardown(stop)
      await waitUntil(() => watches.every(({ types }) => types.length === 1))
      for (const { types } of watches) t.deepEqual(types, ['ready'])
      await endGrant(transport, connected)
      for (const { ended } of [...watches, ...openAll()]) t.is(await ended, 'TOKEN_REVOKED')
    },
  )
}
