import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  async function evaluate(request: object) {
    return expectOk(await admin.call(transport, 'EvaluateCondition', request))
  }

  test(`administrators try a condition with a sample request ${through}`, async (t) => {
    const request = {
      expression:
        'subject.id == resource.owner_id && context.amount <= params.limit && now < params.until',
      parameters: { limit: 'int', until: 'timestamp' },
      params: { limit: 100, until: '2026-02-01T00:00:00Z' },
    }
    const sample = {
      subject: { id: 'a' },
      resource: { id: 'r', owner_id: 'a', attributes: { level: 1 } },
      action: 'view',
      context: { amount: 99.5 },
      now: '2026-01-31T23:59:59.999Z',
    }
    t.like(await evaluate({ ...request, sample }), { result: true, missing: [] })
    const later = { ...sample, now: '2026-02-01T00:00:00Z' }
    t.like(await evaluate({ ...request, sample: later }), { result: false, missing: [] })
    const lacking = await evaluate({ ...request, sample: { ...sample, context: {} } })
    t.like(lacking, { result: false, missing: ['context.amount'] })
    t.regex(lacking.error, /context.amount is missing/)
  })

  test(`what a sample lacks is empty ${through}`, async (t) => {
    const expression = [
      'subject.email == "" && resource.id == "" && action == "" && context == {}',
      'resource.attributes == {} && properties.subject == {} && now > timestamp("2020-01-01T00:00:00Z")',
    ].join(' && ')
    t.like(await evaluate({ expression }), { result: true })
    t.like(await evaluate({ expression, sample: { resource: {}, context: {} } }), { result: true })
  })

  test(`a sample has an agent, or none ${through}`, async (t) => {
    const expression = "agent.type == '' && agent.id == ''"
    t.like(await evaluate({ expression }), { result: true })
    const sample = { agent: { type: 'client', id: 'a' } }
    t.like(await evaluate({ expression, sample }), { result: false, missing: [] })
    const named = { expression: "agent.type == 'client' && agent.id == 'a'", sample }
    t.like(await evaluate(named), { result: true })
  })

  test(`an expression that does not compile is the result, not an error ${through}`, async (t) => {
    const problem = { result: false, line: 2, column: 3, missing: [] }
    t.like(await evaluate({ expression: 'true &&\n  foo' }), problem)
    for (const expression of ['', 'a', '('.repeat(5_000), 'a =', '\u0000', '"a"', '1 +']) {
      const result = await evaluate({ expression })
      t.false(result.result)
      t.truthy(result.error)
      t.true(result.line >= 1 && result.column >= 1)
    }
  })

  test(`parameters must have declared types and fitting values ${through}`, async (t) => {
    const call = async (request: object) =>
      expectError(await admin.call(transport, 'EvaluateCondition', request))
    const types = await call({ expression: 'true', parameters: { a: 'text', B: 'int', c: 1 } })
    t.is(types.code, 'invalid_argument')
    t.deepEqual(
      types.violations.map(({ field }) => field),
      ['parameters.a', 'parameters.B', 'parameters.c'],
    )
    const values = await call({
      expression: 'true',
      parameters: { a: 'int', b: 'list<string>', c: 'bool' },
      params: { a: 1.5, b: ['x', 1], d: true },
    })
    t.deepEqual(values.violations.map(({ field }) => field).toSorted(), [
      'params.a',
      'params.b',
      'params.c',
      'params.d',
    ])
    const context = { text: 'a'.repeat(16_384) }
    const large = await call({ expression: 'true', sample: { context } })
    t.deepEqual(
      large.violations.map(({ field }) => field),
      ['sample.context'],
    )
  })
}
