import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { CacheResult } from '../../src/permissions/engine/memory/verified-cache.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const results: CacheResult[] = []
const environment = await startTestEnvironment({}, undefined, {
  observers: { onCachedQuery: (result) => results.push(result) },
})
test.after.always(() => environment.stop())

const sql = (text: string, ...values: unknown[]) => environment.pool.query(text, values)

const conditions = {
  small: { expression: 'context.amount <= double(params.limit)', parameters: { limit: 'int' } },
  open: { expression: 'resource.attributes.open == true', parameters: {} },
  internal: { expression: "subject.email.endsWith('@internal.example')", parameters: {} },
  started: { expression: 'now >= params.start', parameters: { start: 'timestamp' } },
}

type Scene = Awaited<ReturnType<typeof createScene>>

/** A document that is shared with a guest, under a condition unless it is undefined. */
async function createScene(
  transport: Transport,
  name?: keyof typeof conditions,
  params: object = {},
) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { kind, key, people, workspace } = fixture
  const call = async (method: string, message: object, credentials: object = { key }) =>
    expectOk(await transport.call(method, message, credentials))
  const declare = (changed: object = {}, more: object = {}) =>
    call('PutResourceType', {
      ...kind,
      roles: [],
      conditions: Object.entries({ ...conditions, ...changed }).map(([name, condition]) => ({
        name,
        description: '',
        ...condition,
      })),
      ...more,
    })
  await declare()
  const guest = await fixture.addMember('viewer')
  const email = `${randomUUID()}@internal.example`
  await sql('update users set email = $2 where id = $1', guest.id, email)
  const document = await fixture.register(people.owner, { attributes: { open: true } })
  const permission_id = document.id
  const grant = { permission_id, grantee_type: 'user', grantee_id: guest.id, permission: 'edit' }
  const share = (params: object) => {
    const condition = name && { name, params }
    return call('Share', { ...grant, condition }, fixture.as(people.owner))
  }
  await share(params)
  const context = { amount: 10 }
  const { resource_id } = document
  const checks = [{ ...kind, resource_id, action: 'edit' }]
  const evaluate = async (subject: object) => {
    const resource = { type: 'document', id: resource_id }
    const message = { subject: { type: 'user', ...subject }, action: { name: 'edit' }, resource }
    return (await call('Evaluate', { ...message, context })).decision as boolean
  }
  const questions: Record<string, () => Promise<boolean>> = {
    check: async () =>
      (await call('Check', { checks, context }, fixture.as(guest))).results[0].allowed,
    'evaluation by ID': () => evaluate({ id: guest.id }),
    'evaluation by e-mail address': () => evaluate({ id: email }),
    list: async () =>
      (
        await call(
          'Accessible',
          { ...kind, action: 'edit', workspace_id: workspace, context },
          fixture.as(guest),
        )
      ).resource_ids.includes(resource_id),
  }
  return { call, declare, share, grant, questions, guest, permission_id }
}

type Change = {
  condition?: keyof typeof conditions
  params?: object
  change(scene: Scene): Promise<unknown>
}

/** Changes after which the guest may no longer edit. */
const changes: Record<string, Change> = {
  'a revoked share': { change: ({ call, grant }) => call('RevokeShare', grant) },
  'a share that has expired': {
    condition: 'small',
    params: { limit: 10 },
    change: async ({ permission_id }) => {
      const { rows } = await sql(
        `update shares s set expires_at = clock_timestamp() + interval '30 ms' from resources r
         where r.id = $1 and s.kind_id = r.kind_id and s.resource_id = r.resource_id
         returning s.expires_at::text`,
        permission_id,
      )
      await sql(`select pg_sleep_until($1::timestamptz + '1 ms')`, rows[0].expires_at)
    },
  },
  'a revoked share with a condition': {
    condition: 'small',
    params: { limit: 10 },
    change: ({ call, grant }) => call('RevokeShare', grant),
  },
  'other parameters of a share': {
    condition: 'small',
    params: { limit: 10 },
    change: ({ share }) => share({ limit: 9 }),
  },
  'another expression of a condition': {
    condition: 'small',
    params: { limit: 10 },
    change: ({ declare }) =>
      declare({
        small: { ...conditions.small, expression: 'context.amount < double(params.limit)' },
      }),
  },
  'a requirement': {
    change: ({ declare }) =>
      declare(
        { never: { expression: 'false', parameters: {} } },
        { requirements: [{ action: 'edit', condition: 'never' }] },
      ),
  },
  'an attribute of the resource': {
    condition: 'open',
    change: ({ call, permission_id }) =>
      call('UpdateAttributes', { permission_id, attributes: { open: false } }),
  },
  'the e-mail address of the subject': {
    condition: 'internal',
    change: ({ guest }) =>
      sql('update users set email = $2 where id = $1', guest.id, `${randomUUID()}@example.com`),
  },
}

/** Asks until the answer comes from memory alone, and returns it. */
async function remember(ask: () => Promise<boolean>): Promise<boolean> {
  let answer = false
  await waitUntil(async () => {
    results.length = 0
    answer = await ask()
    return results.length > 0 && results.every((result) => result === 'hit')
  })
  return answer
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  for (const [title, { condition, params, change }] of Object.entries(changes))
    test.serial(`${title} takes effect on what is in memory ${over}`, async (t) => {
      const scene = await createScene(transport, condition, params)
      for (const [question, ask] of Object.entries(scene.questions))
        t.true(await remember(ask), question)
      await change(scene)
      for (const [question, ask] of Object.entries(scene.questions)) t.false(await ask(), question)
    })

  test.serial(`conditions in memory are judged at the time of the question ${over}`, async (t) => {
    const { rows } = await sql(
      `select to_json(clock_timestamp() + interval '1 s') #>> '{}' as start`,
    )
    const [{ start }] = rows
    const { questions } = await createScene(transport, 'started', { start })
    for (const ask of Object.values(questions)) await remember(ask)
    await sql('select pg_sleep_until($1::timestamptz)', start)
    for (const [question, ask] of Object.entries(questions)) t.true(await ask(), question)
  })
}
