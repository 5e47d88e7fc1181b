import test from 'ava'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const maxBytes = 16_384
const tooLong = 'must be at most 16384 bytes long as compact JSON'
const tooDeep = 'must be nested at most 32 levels deep'

/** A context of a size in bytes as compact JSON, half of them in characters of two bytes. */
function contextOf(bytes: number): object {
  const rest = bytes - JSON.stringify({ key: '' }).length
  return { key: 'é'.repeat(rest / 4) + 'x'.repeat(rest - 2 * Math.floor(rest / 4)) }
}

/** A context of objects or lists inside one another. */
function nest(levels: number, isList: boolean): object {
  let value: unknown = 1
  for (let level = 1; level < levels; level += 1) value = isList ? [value] : { key: value }
  return { key: value }
}

const valid = [{}, contextOf(maxBytes), nest(32, false), nest(32, true)]
const deepObject = nest(33, false)
const invalid = [
  [contextOf(maxBytes + 1), tooLong],
  [contextOf(40_000), tooLong],
  [deepObject, tooDeep],
  [nest(33, true), tooDeep],
] as const

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const subject = { type: 'user', id: 'someone@example.com' }
  const action = { name: 'view' }
  const resource = { type: 'document', id: '1' }
  const requests: [string, object][] = [
    ['Evaluate', { subject, action, resource }],
    ['EvaluateBatch', { subject, action, resource }],
    ['SearchSubjects', { subject: { type: 'user' }, action, resource }],
    ['SearchResources', { subject, action, resource: { type: 'document' } }],
    ['SearchActions', { subject, resource }],
  ]

  test(`a context may have 16 KiB and 32 levels ${over}`, async (t) => {
    const { key } = await createWorkspaceFixture(environment, transport)
    for (const [method, request] of requests) {
      for (const context of valid)
        expectOk(await transport.call(method, { ...request, context }, { key }))
      for (const [context, message] of invalid) {
        const outcome = await transport.call(method, { ...request, context }, { key })
        t.like(outcome, { ok: false, violations: [{ field: 'context', message }] })
      }
    }
  })

  test(`a batch denies only the items whose context is too large ${over}`, async (t) => {
    const { key } = await createWorkspaceFixture(environment, transport)
    // In a batch, protobuf itself rejects messages with 33 objects inside one another.
    const rejected = invalid.filter(([context]) => context !== deepObject)
    const contexts = [...valid, ...rejected.map(([context]) => context), undefined]
    const evaluations = contexts.map((context) => ({ action, ...(context && { context }) }))
    const request = { subject, resource, context: contextOf(maxBytes), evaluations }
    const { evaluations: results } = expectOk(
      await transport.call('EvaluateBatch', request, { key }),
    )
    t.deepEqual(
      results.map(({ context }: any) => context?.error?.errors[0]),
      [
        ...valid.map(() => undefined),
        ...rejected.map(([, message]) => ({ field: 'context', message })),
        undefined,
      ],
    )
  })
}
