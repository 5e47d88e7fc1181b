import test from 'ava'
import { patterns } from '../../bench/abuse/condition-costs.ts'
import { createAdmin } from '../support/admin.ts'
import { maxTurn, measureLongestTurn } from '../support/longest-turn.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const quotation = `\\Q[\\E${'a{1000}'.repeat(140)}]`
const hostile: Record<string, string> = {
  'a quotation with a bracket': quotation,
  'open classes': '['.repeat(1_000),
  'folded classes': `(?i)[${'\\pL'.repeat(330)}]`,
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  /** A document that a guest has shares of, with a pattern from params or from the context. */
  const createScene = async () => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { kind, key } = fixture
    const conditions = [
      {
        name: 'named',
        expression: 'context.name.matches(params.pattern)',
        parameters: { pattern: 'string' },
      },
      { name: 'asked', expression: 'context.name.matches(context.pattern)', parameters: {} },
      {
        name: 'looped',
        expression: 'context.numbers.exists(x, context.numbers.exists(y, x + y > 4000.0))',
        parameters: {},
      },
    ].map((condition) => ({ ...condition, description: '' }))
    expectOk(await transport.call('PutResourceType', { ...kind, roles: [], conditions }, { key }))
    const owner = await fixture.addMember('viewer')
    const guest = await fixture.addMember('viewer')
    const document = await fixture.register(owner)
    const share = (condition: object) =>
      transport.call(
        'Share',
        {
          permission_id: document.id,
          grantee_type: 'user',
          grantee_id: guest.id,
          permission: 'edit',
          condition,
        },
        { key, token: owner.token },
      )
    const evaluate = async (context: object) =>
      expectOk(
        await transport.call(
          'Evaluate',
          {
            subject: { type: 'user', id: guest.id },
            action: { name: 'edit' },
            resource: { type: 'document', id: document.resource_id },
            context: { name: 'report', explain: true, ...context },
          },
          { key },
        ),
      )
    return { ...fixture, document, guest, share, evaluate }
  }

  for (const [title, pattern] of Object.entries(hostile)) {
    test(`${title} in params or a context fails the condition ${over}`, async (t) => {
      const { share, evaluate } = await createScene()
      expectOk(await share({ name: 'named', params: { pattern } }))
      const failed = { decision: false, context: { reasons: [{ rule: 'condition_failed' }] } }
      t.like(await evaluate({}), failed)
      expectOk(await share({ name: 'asked' }))
      t.like(await evaluate({ pattern }), failed)
      t.like(await evaluate({ pattern: pattern.repeat(10) }), failed)
      t.like(await evaluate({ pattern: '^rep' }), { decision: true })
    })
  }

  test(`a parameter that is a regular expression has at most 1,000 characters ${over}`, async (t) => {
    const { share, evaluate, guest } = await createScene()
    const long = { name: 'named', params: { pattern: 'a'.repeat(1_001) } }
    t.like(expectError(await share(long)).violations, [
      {
        field: 'condition.params.pattern',
        message: 'must be a regular expression of at most 1000 characters',
      },
    ])
    expectOk(await share({ name: 'named', params: { pattern: '^report$' } }))
    // What an earlier version has stored.
    await environment.pool.query(
      "update shares set params = jsonb_build_object('pattern', repeat('[', 3000)) where user_id = $1",
      [guest.id],
    )
    t.like(await evaluate({}), {
      decision: false,
      context: { reasons: [{ rule: 'condition_failed' }] },
    })
  })

  test(`checks of a batch that cost much let other calls through ${over}`, async (t) => {
    const { share, kind, key, guest, document } = await createScene()
    expectOk(await share({ name: 'asked' }))
    const item = { ...kind, resource_id: document.resource_id, action: 'edit' }
    const context = { name: 'ab'.repeat(350), pattern: '(?:a|b)*a(?:a|b){12}[xX]' }
    const message = { checks: Array.from({ length: 1_000 }, () => item), context }
    const finished: string[] = []
    const call = async (name: string, checked: object) => {
      const outcome = await transport.call('Check', checked, { key, token: guest.token })
      finished.push(name)
      return expectOk(outcome) as { results: { allowed: boolean }[] }
    }
    const [{ results }] = await Promise.all([
      call('batch', message),
      call('check', { checks: [item], context: { name: 'a', pattern: 'a' } }),
    ])
    t.deepEqual(finished, ['check', 'batch'])
    t.is(results.length, 1_000)
    t.true(results.every(({ allowed }) => !allowed))
  })

  test.serial(`a batch of 1,000 worst conditions lets the event loop turn ${over}`, async (t) => {
    const { share, kind, key, guest, document } = await createScene()
    const item = { ...kind, resource_id: document.resource_id, action: 'edit' }
    const checks = Array.from({ length: 1_000 }, () => item)
    const check = (context: object) => () =>
      transport.call('Check', { checks, context }, { key, token: guest.token })
    const numbers = Array.from({ length: 1_000 }, (_, index) => index)
    expectOk(await share({ name: 'looped' }))
    const longest: Record<string, number> = { loop: await measureLongestTurn(check({ numbers })) }
    expectOk(await share({ name: 'asked' }))
    for (const [title, pattern] of Object.entries(patterns))
      longest[title] = await measureLongestTurn(check({ name: 'ab'.repeat(350), pattern }))
    t.log(longest)
    t.deepEqual(
      Object.entries(longest).filter(([, milliseconds]) => milliseconds > maxTurn),
      [],
    )
  })

  test(`an open text of backslashes is refused ${over}`, async (t) => {
    const expression = `"""${'\\'.repeat(900)}`
    const result = expectOk(await admin.call(transport, 'EvaluateCondition', { expression })) as {
      error: string
    }
    t.regex(result.error, /unexpected/)
  })
}
