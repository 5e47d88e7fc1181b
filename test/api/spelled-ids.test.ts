import test from 'ava'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { createRequestFixture } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const uuids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
const mixed = (id: string) =>
  id.replace(/[a-f]/g, (letter, at) => (at % 2 ? letter.toUpperCase() : letter))

/** Texts that can contain a UUID, but are none. */
const texts = ['name', 'slug', 'description', 'display_name', 'csv', 'email', 'q'].concat([
  'redirect_uris',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'domain',
  'service_name',
  'actions',
])

/** Methods that delete what other requests need are called last. */
const isDestructive = ({ route, key }: DeclaredOperation) =>
  route.verb === 'delete' || /logout/i.test(key)
const called = environment.app.operations.filter(({ policy }) =>
  ['user', 'service', 'dual', 'admin'].includes(policy.tier),
)
const operations = [...called.filter((one) => !isDestructive(one)), ...called.filter(isDestructive)]

/** Calls every method with the IDs of its request in a spelling. Returns the shapes of the responses. */
async function callAll(transport: Transport, spell: (id: string) => string) {
  const requests = await createRequestFixture(environment, transport)
  const shapes: Record<string, unknown> = {}
  for (const operation of operations) {
    const message = requests.message(operation)
    const sent = Object.fromEntries(
      Object.entries(message).map(([name, value]) => {
        if (texts.includes(name) || value === undefined) return [name, value]
        return [name, JSON.parse(JSON.stringify(value).replace(uuids, spell))]
      }),
    )
    const outcome = await transport.call(operation.name, sent, requests.credentials(operation))
    // What the response contains depends on whether the delivery has been attempted.
    const isDelivery = ['retryWebhookDelivery', 'testWebhook'].includes(operation.key)
    shapes[operation.name] = isDelivery && outcome.ok ? true : shapeOf(outcome)
    const ids = JSON.stringify(outcome.ok ? outcome.message : outcome).match(uuids) ?? []
    const { workspace } = requests.fixture
    const own = ids.filter((id) => id.toLowerCase() === workspace)
    if (own.some((id) => id !== workspace)) throw new Error(`${operation.name} returned ${own}`)
  }
  return shapes
}

for (const transport of environment.transports)
  test.serial(
    `every method responds to IDs in any case alike over ${transport.label}`,
    async (t) => {
      const expected = await callAll(transport, (id) => id)
      t.true(operations.length > 100)
      const isOk = (shape: unknown) => !Array.isArray(shape)
      t.true(Object.values(expected).filter(isOk).length > operations.length / 2)
      t.deepEqual(await callAll(transport, (id) => id.toUpperCase()), expected)
      t.deepEqual(await callAll(transport, mixed), expected)
    },
  )

/** The types of all fields of a response, or the error. */
function shapeOf(outcome: Outcome): unknown {
  if (outcome.ok) return typesOf(outcome.message)
  return [outcome.code, outcome.reason, outcome.violations]
}

function typesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? 'list' : 'empty list'
  if (typeof value === 'boolean') return value
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, typesOf(field)]))
}
