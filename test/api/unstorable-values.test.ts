import test from 'ava'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { createToJsonPath } from '../../src/rpc/list-messages.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { type Place, placesOf } from '../support/message-places.ts'
import { createRequestFixture } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** Texts that PostgreSQL cannot store. Protobuf replaces lone surrogates while it encodes. */
const texts = { gRPC: ['a\0b'], REST: ['a\0b', 'a\ud800b'] }

/** RFC 3339, sections 5.6 and 5.7. */
const missingTimes = [
  '2030-02-30T00:00:00Z',
  '2029-02-29T12:00:00Z',
  '2030-04-31T00:00:00Z',
  '2030-01-01T24:00:00Z',
  '2030-13-01T00:00:00Z',
  '2030-01-01T00:60:00Z',
]

/** Whether REST sends a place in the body, where text can be anything that JSON escapes. */
function isInBody({ route, bindings }: DeclaredOperation, { field }: Place): boolean {
  const [name = field] = field.split(/[.[]/)
  const elsewhere = [...bindings.request, ...bindings.query].map((bound) =>
    'field' in bound ? bound.field : bound.name,
  )
  return route.body && ![...route.pathFields, ...elsewhere].includes(name)
}

const registry = readRegistry()

for (const transport of environment.transports)
  test(`every method refuses text that PostgreSQL cannot store over ${transport.label}`, async (t) => {
    const requests = await createRequestFixture(environment, transport)
    const accepted: string[] = []
    let count = 0
    for (const operation of environment.app.operations) {
      const { tier, profile } = operation.policy
      if (!['user', 'service', 'dual', 'admin'].includes(tier)) continue
      // Errors of OAuth name their fields only in a sentence (RFC 6749, section 5.2).
      if (profile === 'oauth' && transport.label === 'REST') continue
      const toJsonPath = createToJsonPath(registry, operation.input)
      for (const place of placesOf(operation.input)) {
        const isBound = operation.bindings.request.some(({ field }) => field === place.field)
        // Nothing stores the expression, and whatever it is, the method reports its problem.
        const isParsed = operation.key === 'evaluateCondition' && place.field === 'expression'
        if (isBound || isParsed || place.kind !== 'text') continue
        for (const text of texts[transport.label]) {
          if (!text.isWellFormed() && !isInBody(operation, place)) continue
          const message = structuredClone(requests.message(operation))
          place.put(message, text)
          const credentials = requests.credentials(operation)
          const outcome = await transport.call(operation.name, message, credentials)
          count += 1
          if (!violatedFields(outcome).includes(toJsonPath(place.field)))
            accepted.push(`${operation.name} ${place.field} ${JSON.stringify(outcome)}`)
        }
      }
    }
    t.true(count > 500)
    t.deepEqual(accepted, [])
  })

/** The fields of the violations of an outcome, also of those in the items of an accepted batch. */
function violatedFields(outcome: Outcome): string[] {
  if (!outcome.ok) return outcome.violations.map(({ field }) => field)
  const items: any[] = outcome.message.evaluations ?? []
  return items.flatMap((item, index) =>
    (item.context?.error?.errors ?? []).map(
      ({ field }: { field: string }) => `evaluations[${index}].${field}`,
    ),
  )
}

test('every method refuses times that do not exist over REST', async (t) => {
  const [, transport] = environment.transports as [Transport, Transport]
  const requests = await createRequestFixture(environment, transport)
  const accepted: string[] = []
  const refusing = new Set<string>()
  for (const operation of environment.app.operations)
    for (const place of placesOf(operation.input)) {
      if (place.kind !== 'timestamp' || operation.policy.tier === 'public') continue
      for (const time of missingTimes) {
        const message = structuredClone(requests.message(operation))
        place.put(message, time)
        const credentials = requests.credentials(operation)
        const outcome = await transport.call(operation.name, message, credentials)
        if (violatedFields(outcome).includes(place.field)) refusing.add(operation.name)
        else accepted.push(`${operation.name} ${place.field} ${time} ${JSON.stringify(outcome)}`)
      }
    }
  t.true(refusing.size >= 8)
  t.deepEqual(accepted, [])
})
