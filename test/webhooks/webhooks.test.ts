import { createHmac, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { sealActivity } from '../../src/activity/seal.ts'
import { createSecretBox } from '../../src/core/secret-box.ts'
import { createOutboundClient } from '../../src/outbound/outbound-client.ts'
import { createOutboundHosts } from '../../src/outbound/outbound-hosts.ts'
import { createStores } from '../../src/server/stores.ts'
import { slowTime } from '../../src/webhooks/deliver.ts'
import { reencryptWebhooks } from '../../src/webhooks/reencrypt.ts'
import type { ClaimedDelivery } from '../../src/webhooks/store/delivery-store.ts'
import { openWebhookJobs } from '../../src/webhooks/store/job-queue.ts'
import { createWebhookSender } from '../../src/webhooks/webhook-sender.ts'
import { createAdmin } from '../support/admin.ts'
import { createManagementApp } from '../support/management-apps.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { testEncryptionKey } from '../support/seed.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type ReceivedEvent, startWebhookReceiver } from '../support/webhook-receiver.ts'

const environment = await startTestEnvironment()
const { pool, database, seed, app, clock } = environment
const admin = await createAdmin(environment)
const [, rest] = environment.transports as [Transport, Transport]
test.after.always(() => environment.stop())

const minute = 60_000
const hour = 60 * minute
const secretBox = createSecretBox([testEncryptionKey])

const call = async (method: string, message: object = {}, transport = rest) =>
  expectOk(await admin.call(transport, method, message))

async function startReceiver(t: ExecutionContext) {
  const receiver = await startWebhookReceiver()
  t.teardown(receiver.stop)
  return receiver
}

/** Deletes the webhooks of earlier tests. */
test.serial.beforeEach(async () => {
  clock.now = undefined
  await pool.query('delete from webhooks')
})

const record = async (workspaceId?: string, name = 'g') => {
  const stores = createStores(database.fork())
  const event = { action: 'group.created', targetId: randomUUID(), workspaceId, detail: { name } }
  await stores.activity.record({ actorId: undefined }, event as never)
}

/** Seals the recorded events, and sends what is due. */
async function deliver(sender = app.services.webhookSender) {
  while ((await sealActivity(createStores(database.fork()))) > 0);
  while (await sender.dispatch());
  await sender.sendDue()
  await sender.settle()
}

/** Advances the clock and makes the jobs that wait due. */
async function advance(milliseconds: number) {
  clock.now = new Date((clock.now ?? new Date()).getTime() + milliseconds)
  await pool.query("update pgboss.job set start_after = now() where state = 'created'")
}

// Read directly, because the token of the administrator expires before the clock of the tests.
const deliveriesOf = (id: string) =>
  createStores(database.fork()).deliveries.list(id, undefined, 100)
const webhookOf = (id: string) => createStores(database.fork()).webhooks.find(id)

function verify({ headers, body }: ReceivedEvent, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  return String(signatures).split(' ').includes(`v1,${expected}`)
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test.serial(`management apps create webhooks, which no user has created ${over}`, async (t) => {
    const { id: appId, as } = await createManagementApp(transport, admin, 'webhooks:write')
    const settings = { url: 'https://hooks.example.com/x', events: ['member.*'] }
    const created = expectOk(await transport.call('AdminService/CreateWebhook', settings, as))
    t.like(created, settings)
    t.falsy(created.created_by)
    const { rows } = await pool.query(
      "select actor_id from activity where action = 'webhook.created' and target_id = $1",
      [created.id],
    )
    t.deepEqual(rows, [{ actor_id: appId }])
  })

  test.serial(`administrators create, read, change and delete webhooks ${over}`, async (t) => {
    const workspace_id = await seed.workspace()
    const settings = { url: 'https://hooks.example.com/x', events: ['member.*'], workspace_id }
    const created = await call('CreateWebhook', { ...settings, description: 'CRM' }, transport)
    t.like(created, { ...settings, description: 'CRM', is_active: true })
    t.regex(created.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const { id: webhook_id } = created
    const { rows } = await pool.query('select secret from webhooks where id = $1', [webhook_id])
    t.false(rows[0].secret.includes(created.secret), 'the secret is encrypted')
    t.is(secretBox.decrypt(rows[0].secret, `webhooks/${webhook_id}`), created.secret)

    const { secret: _secret, ...shown } = created
    const found = await call('GetWebhook', { webhook_id }, transport)
    t.deepEqual({ ...found, secret: undefined }, { ...shown, secret: undefined } as never)
    t.falsy(found.secret)
    const { webhooks } = await call('ListWebhooks', {}, transport)
    t.deepEqual(
      webhooks.map(({ id }: { id: string }) => id),
      [webhook_id],
    )
    const changes = { webhook_id, url: 'https://hooks.example.com/y', is_active: false, events: [] }
    const updated = await call('UpdateWebhook', changes, transport)
    t.like(updated, { url: changes.url, is_active: false, events: ['member.*'] })
    const all = await call('UpdateWebhook', { webhook_id, events: [], all_events: true }, transport)
    t.deepEqual(all.events, [])
    t.true((await admin.call(transport, 'DeleteWebhook', { webhook_id })).ok)
    const missing = expectError(await admin.call(transport, 'GetWebhook', { webhook_id }))
    t.is(missing.reason, 'WEBHOOK_NOT_FOUND')
  })

  test.serial(`unsafe URLs and unknown events are rejected together ${over}`, async (t) => {
    const urls = [
      'nonsense',
      'ftp://example.com',
      'http://example.com/',
      'https://user:secret@example.com/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest',
      'https://[::ffff:10.0.0.1]/',
      'https://[64:ff9b::a00:1]/',
      'https://0x7f.1/',
    ]
    for (const url of urls.slice(0, -1)) {
      const message = { url, events: ['member.invted', 'nothing.*'] }
      const error = expectError(await admin.call(transport, 'CreateWebhook', message))
      t.is(error.code, 'invalid_argument', url)
      const fields = error.violations.map(({ field }) => field)
      t.deepEqual(fields.toSorted(), ['events[0]', 'events[1]', 'url'], url)
    }
    const production = await environment.addNode({ DEBUG: false })
    const [grpc, http] = production.transports as [Transport, Transport]
    const strict = transport.name === 'grpc' ? grpc : http
    for (const url of ['https://0x7f.1/', 'http://localhost/', 'https://localhost/']) {
      const error = expectError(await admin.call(strict, 'CreateWebhook', { url, events: [] }))
      t.is(error.code, 'invalid_argument', url)
    }
  })

  test.serial(`without an encryption key, no webhook can be created ${over}`, async (t) => {
    const node = await environment.addNode({ encryptionKeys: [] })
    const [grpc, http] = node.transports as [Transport, Transport]
    const keyless = transport.name === 'grpc' ? grpc : http
    const message = { url: 'https://hooks.example.com/', events: [] }
    const error = expectError(await admin.call(keyless, 'CreateWebhook', message))
    t.like(error, { code: 'failed_precondition', reason: 'ENCRYPTION_KEY_MISSING' })
  })

  test.serial(`a test event arrives, and its delivery is listed ${over}`, async (t) => {
    const receiver = await startReceiver(t)
    receiver.respond = (response) => response.writeHead(201).end('welcome')
    const { id: webhook_id, secret } = await call(
      'CreateWebhook',
      { url: receiver.url, events: [] },
      transport,
    )
    const delivery = await call('TestWebhook', { webhook_id }, transport)
    t.like(delivery, { type: 'webhook.test', state: 'pending' })
    await waitUntil(() => receiver.received.length === 1)
    await app.services.webhookSender.settle()
    const [event] = receiver.received as [ReceivedEvent]
    t.true(verify(event, secret))
    t.is(event.headers['webhook-id'], delivery.id)
    t.like(JSON.parse(event.body), { type: 'webhook.test', position: null, data: { webhook_id } })
    const { items } = await call('ListWebhookDeliveries', { webhook_id }, transport)
    t.like(items[0], {
      id: delivery.id,
      state: 'delivered',
      attempts: 1,
      response_status: 201,
      response_body: 'welcome',
      request_body: event.body,
    })
    await call('RetryWebhookDelivery', { webhook_id, delivery_id: delivery.id }, transport)
    await waitUntil(() => receiver.received.length === 2)
    t.is(receiver.received[1]?.headers['webhook-id'], delivery.id, 'the same ID again')
  })
}

test.serial('events are sent to the webhooks that select them, once', async (t) => {
  const receiver = await startReceiver(t)
  const workspace_id = await seed.workspace()
  const create = async (name: string, more: object) => {
    const url = receiver.url.replace('hook', name)
    return call('CreateWebhook', { url, events: [], ...more })
  }
  const { secret } = await create('all', {})
  await create('groups', { events: ['group.*'] })
  await create('members', { events: ['member.*'] })
  await create('workspace', { workspace_id, events: ['group.created'] })
  await deliver()
  receiver.received.length = 0
  const node = await environment.addNode()
  await record(workspace_id, 'inside')
  await record(undefined, 'outside')
  await seal()
  await Promise.all(
    [app.services.webhookSender, node.app.services.webhookSender].map((sender) => deliver(sender)),
  )
  await deliver()
  const seen = receiver.received.map(({ path, body }) => {
    const { type, data } = JSON.parse(body)
    return `${path} ${type} ${data.detail.name}`
  })
  t.deepEqual(seen.toSorted(), [
    '/all group.created inside',
    '/all group.created outside',
    '/groups group.created inside',
    '/groups group.created outside',
    '/workspace group.created inside',
  ])
  const event = receiver.received.find(({ path }) => path === '/all') as ReceivedEvent
  t.true(verify(event, secret))
  t.false(verify({ ...event, body: `${event.body} ` }, secret))
  const { type, timestamp, position, data } = JSON.parse(event.body)
  t.is(type, 'group.created')
  t.is(typeof position, 'number')
  t.false(Number.isNaN(Date.parse(timestamp)))
  t.is(data.target_type, 'group')
  t.false('ip' in data)
})

const seal = async () => {
  while ((await sealActivity(createStores(database.fork()))) > 0);
}

test.serial(
  'a failed delivery is retried for a day, then the webhook is deactivated',
  async (t) => {
    const receiver = await startReceiver(t)
    receiver.respond = (response) => response.writeHead(500).end('x'.repeat(10_000))
    const { id: webhook_id } = await call('CreateWebhook', {
      url: receiver.url,
      events: ['group.*'],
    })
    clock.now = new Date()
    const start = clock.now.getTime()
    await record()
    await deliver()
    const delays: number[] = []
    for (;;) {
      const [delivery] = await deliveriesOf(webhook_id)
      if (delivery?.state !== 'pending') break
      t.is(delivery.responseBody?.length, 4096)
      delays.push(new Date(delivery.nextAttemptAt ?? 0).getTime() - clock.now.getTime())
      await advance(delays.at(-1) as number)
      await deliver()
    }
    const expected = [5000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 6 * hour]
    t.is(delays.length, expected.length)
    for (const [index, delay] of delays.entries())
      t.true(Math.abs(delay / (expected[index] as number) - 1) <= 0.11, `delay ${index}: ${delay}`)
    t.is(receiver.received.length, 8)
    t.is(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    t.true(clock.now.getTime() - start > 20 * hour)
    t.like(await webhookOf(webhook_id), { isActive: false, deactivatedReason: 'failing' })
    const { rows } = await pool.query(
      "select detail from activity where action = 'webhook.deactivated' order by id",
    )
    t.is(rows.at(-1)?.detail.cause, 'failing')

    clock.now = undefined
    const delivery_id = (await deliveriesOf(webhook_id))[0]?.id
    const retry = { webhook_id, delivery_id }
    const error = expectError(await admin.call(rest, 'RetryWebhookDelivery', retry))
    t.is(error.reason, 'WEBHOOK_INACTIVE')
    const active = await call('UpdateWebhook', { webhook_id, events: [], is_active: true })
    t.like(active, { is_active: true })
    t.falsy(active.deactivated_reason)
    receiver.respond = (response) => response.writeHead(200).end()
    await call('RetryWebhookDelivery', retry)
    await waitUntil(async () => (await deliveriesOf(webhook_id))[0]?.state === 'delivered')
  },
)

test.serial('an event that no feature declares is sent to nobody and stops nothing', async (t) => {
  const receiver = await startReceiver(t)
  const create = (name: string) =>
    call('CreateWebhook', { url: receiver.url.replace('hook', name), events: ['group.*'] })
  const { id } = await create('some')
  const { id: other } = await create('none')
  await pool.query("update webhooks set events = events || array['gone.*'] where id = $1", [id])
  await pool.query("update webhooks set events = array['gone.created'] where id = $1", [other])
  await record()
  await deliver()
  t.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/some'],
  )
})

test.serial('a success in between means that the webhook is not failing', async (t) => {
  const receiver = await startReceiver(t)
  const { id: webhook_id } = await call('CreateWebhook', { url: receiver.url, events: ['group.*'] })
  receiver.respond = (response, { body }) =>
    response.writeHead(body.includes('broken') ? 500 : 200).end()
  clock.now = new Date()
  await record(undefined, 'broken')
  await deliver()
  t.truthy((await webhookOf(webhook_id))?.failingSince)
  await record(undefined, 'good')
  await deliver()
  t.falsy((await webhookOf(webhook_id))?.failingSince)
  for (let hours = 0; hours < 26; hours += 1) {
    await advance(hour)
    await record(undefined, 'good')
    await deliver()
  }
  const states = (await deliveriesOf(webhook_id)).map(({ state }) => state)
  t.true((await webhookOf(webhook_id))?.isActive)
  t.true(states.includes('delivered'))
})

test.serial('410 deactivates a webhook and gives up its deliveries', async (t) => {
  const receiver = await startReceiver(t)
  receiver.respond = (response) => response.writeHead(410).end()
  const { id: webhook_id } = await call('CreateWebhook', { url: receiver.url, events: ['group.*'] })
  for (let index = 0; index < 20; index += 1) await record()
  await deliver()
  t.like(await webhookOf(webhook_id), { isActive: false, deactivatedReason: 'gone' })
  t.true((await deliveriesOf(webhook_id)).every(({ state }) => state === 'failed'))
  t.true(receiver.received.length <= 8)
})

test.serial('a single 410 deactivates a webhook, whatever else was delivered', async (t) => {
  const receiver = await startReceiver(t)
  receiver.respond = (response, { body }) =>
    response.writeHead(body.includes('gone') ? 410 : 204).end()
  const webhookId = await seed.webhook(receiver.url, { events: ['group.*'] })
  for (const name of ['good', 'gone', 'good']) await record(undefined, name)
  await deliver()
  t.like(await webhookOf(webhookId), { isActive: false, deactivatedReason: 'gone' })
  const states = (await deliveriesOf(webhookId)).map(({ state }) => state)
  t.deepEqual(states.toSorted(), ['delivered', 'delivered', 'failed'])
})

test.serial('redirects are not followed, and hosts are judged again at each request', async (t) => {
  const receiver = await startReceiver(t)
  receiver.respond = (response) => response.writeHead(302, { location: '/other' }).end()
  const { id: webhook_id } = await call('CreateWebhook', { url: receiver.url, events: ['group.*'] })
  await record()
  await deliver()
  t.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/hook'],
  )
  t.like((await deliveriesOf(webhook_id))[0], { state: 'pending', responseStatus: 302 })

  await pool.query("update webhooks set url = 'https://169.254.169.254/' where id = $1", [
    webhook_id,
  ])
  await record()
  await deliver()
  const [latest] = await deliveriesOf(webhook_id)
  t.regex(latest?.error ?? '', /must not be on a private, loopback/)
  t.falsy(latest?.responseStatus)
})

test.serial('for a day after a rotation, requests have both signatures', async (t) => {
  const receiver = await startReceiver(t)
  const created = await call('CreateWebhook', { url: receiver.url, events: ['group.*'] })
  const { id: webhook_id, secret: old } = created
  const { secret } = await call('RotateWebhook', { webhook_id })
  t.not(secret, old)
  await record()
  await deliver()
  const [event] = receiver.received as [ReceivedEvent]
  t.true(verify(event, secret) && verify(event, old))
  await pool.query('update webhooks set previous_secret_expires_at = now()')
  await record()
  await deliver()
  const last = receiver.received.at(-1) as ReceivedEvent
  t.true(verify(last, secret))
  t.false(verify(last, old))
})

test.serial('one webhook that hangs delays no other', async (t) => {
  const receiver = await startReceiver(t)
  let hanging = 0
  let mostHanging = 0
  receiver.respond = (response, { path }) => {
    if (path !== '/hangs') return response.writeHead(204).end()
    hanging += 1
    mostHanging = Math.max(mostHanging, hanging)
    return response.on('close', () => {
      hanging -= 1
    })
  }
  const url = (name: string) => receiver.url.replace('hook', name)
  await call('CreateWebhook', { url: url('hangs'), events: ['group.*'] })
  await call('CreateWebhook', { url: url('works'), events: ['group.*'] })
  const works = () => receiver.received.filter(({ path }) => path === '/works').length
  const times: number[] = []
  for (let round = 1; round <= 5; round += 1) {
    for (let index = 0; index < 20; index += 1) await record()
    await seal()
    const startedAt = performance.now()
    while (await app.services.webhookSender.dispatch());
    await app.services.webhookSender.sendDue()
    await waitUntil(() => works() === 20 * round)
    times.push(performance.now() - startedAt)
  }
  t.true(Math.min(...times) < 5000)
  t.is(mostHanging, 8, 'as many requests as a webhook may have at the same time')
})

test.serial('webhooks that are sent to at the same time share statements', async (t) => {
  const receiver = await startReceiver(t)
  for (let index = 0; index < 30; index += 1)
    await call('CreateWebhook', { url: receiver.url, events: ['group.*'] })
  await pool.query('delete from pgboss.job')
  await record()
  await seal()
  const claims: number[] = []
  const sender = createWebhookSender({
    openStores: () => {
      const stores = createStores(database.fork())
      const claim = stores.deliveries.claim.bind(stores.deliveries)
      stores.deliveries.claim = (ids, limit, now) => {
        claims.push(ids.length)
        return claim(ids, limit, now)
      }
      return stores
    },
    jobs: openWebhookJobs(database.execute, (error) => t.fail(String(error))),
    secretBox,
    send: createOutboundClient(createOutboundHosts({ debug: true, allowed: [] })),
    now: () => new Date(),
    random: Math.random,
    onFailure: (error) => t.fail(String(error)),
    warn: (text) => t.fail(text),
  })
  await deliver(sender)
  await sender.stop()
  t.is(receiver.received.length, 30)
  t.deepEqual(claims, [30])
})

test.serial('many webhooks that do not respond delay no other', async (t) => {
  const receiver = await startReceiver(t)
  const open = new Map<ServerResponse, number>()
  let mostOpen = 0
  receiver.respond = (response, { path, at }) => {
    if (path === '/works') return response.writeHead(204).end()
    open.set(response, at)
    mostOpen = Math.max(mostOpen, open.size)
    return response.on('close', () => open.delete(response))
  }
  const respond = () => {
    for (const response of open.keys()) response.writeHead(204).end()
  }
  const works = () => receiver.received.filter(({ path }) => path === '/works').length
  const seedWebhook = (path: string) =>
    seed.webhook(receiver.url.replace('hook', path), { events: ['group.*'] })
  const countSlow = async () =>
    (await pool.query('select from webhooks where is_slow')).rowCount as number
  const dispatch = async () => {
    await record()
    await seal()
    while (await app.services.webhookSender.dispatch());
  }
  const sendUntil = (condition: () => boolean) =>
    waitUntil(async () => {
      await app.services.webhookSender.sendDue()
      return condition()
    })
  await pool.query('delete from pgboss.job')
  for (let index = 0; index < 64; index += 1) await seedWebhook(`silent/${index}`)
  await dispatch()
  await waitUntil(() => open.size === 64)
  await seedWebhook('works')
  await pool.query("update webhooks set is_active = url like '%/works'")
  await dispatch()
  await sendUntil(() => works() === 1 || open.size < 64)
  t.is(works(), 1, 'it does not wait for others to respond')
  respond()
  await app.services.webhookSender.settle()
  t.true((await countSlow()) > 0)

  await pool.query("update webhooks set is_active = true, is_slow = url not like '%/works'")
  mostOpen = 0
  await dispatch()
  const isOlder = (at: number) => performance.now() - at > 1.2 * slowTime
  await sendUntil(() => works() === 2 && open.size > 0 && [...open.values()].every(isOlder))
  t.is(mostOpen, 32, 'slow webhooks have half as many lanes')
  respond()
  receiver.respond = (response) => response.writeHead(204).end()
  await sendUntil(() => receiver.received.length >= 2 + 2 * 64)
  await app.services.webhookSender.settle()
  t.true((await countSlow()) < 64, 'a quick response ends it')
})

test.serial('the deliveries of a killed node are sent by another one within seconds', async (t) => {
  const receiver = await startReceiver(t)
  const { id: webhook_id } = await call('CreateWebhook', { url: receiver.url, events: ['group.*'] })
  clock.now = new Date()
  const webhookId = webhook_id
  await pool.query('delete from pgboss.job')
  const { deliveries } = createStores(database.fork())
  const delivery = { id: randomUUID(), webhookId, type: 'group.created', requestBody: '{}' }
  await deliveries.insert([delivery], clock.now)
  // The node takes the job and the delivery, and is killed before it sends it.
  const jobs = openWebhookJobs(database.execute, (error) => t.fail(String(error)))
  await jobs.add([{ id: webhookId, isSlow: false }])
  t.is((await jobs.take(10, false)).length, 1)
  t.is((await deliveries.claim([webhookId], 8, clock.now)).length, 1)
  await jobs.stop()
  const pass = async (seconds: number) => {
    await advance(seconds * 1000)
    await pool.query(`update pgboss.job set heartbeat_on = heartbeat_on - interval '${seconds} s'`)
    await pool.query('update pgboss.queue set monitor_claim_on = null, monitor_on = null')
    await app.services.webhookSender.maintain()
    await app.services.webhookSender.sendDue()
    await app.services.webhookSender.settle()
  }
  await pass(14)
  t.is(receiver.received.length, 0, 'the leases have not ended')
  await pass(8)
  t.is(receiver.received.length, 1)
  t.like((await deliveriesOf(webhookId))[0], { state: 'delivered', attempts: 2 })
})

test.serial('a node that has lost its lease does not record what it sent', async (t) => {
  const webhookId = await seed.webhook('https://hooks.example.com/x')
  const { deliveries } = createStores(database.fork())
  const now = new Date()
  const delivery = { id: randomUUID(), webhookId, type: 'group.created', requestBody: '{}' }
  await deliveries.insert([delivery], now)
  const claim = async (at: Date) => {
    const [claimed] = await deliveries.claim([webhookId], 8, at)
    return claimed as ClaimedDelivery
  }
  const finish = ({ id, claimedAt }: ClaimedDelivery, responseStatus: number) => {
    const result = { state: 'delivered', nextAttemptAt: null, durationMs: 1 } as const
    const response = { responseStatus, responseBody: null, error: null }
    return deliveries.finish([{ id, claimedAt, ...result, ...response }], now)
  }
  const lost = await claim(now)
  t.falsy(await claim(new Date(now.getTime() + 19_000)))
  const taken = await claim(new Date(now.getTime() + 21_000))
  t.deepEqual(await finish(lost, 201), [])
  t.like((await deliveriesOf(webhookId))[0], { state: 'pending', responseStatus: null })
  t.deepEqual(await finish(taken, 202), [delivery.id])
  t.deepEqual(await finish(taken, 203), [], 'nothing is recorded twice')
  t.like((await deliveriesOf(webhookId))[0], { state: 'delivered', responseStatus: 202 })
})

test.serial('after a rotation of the key, all secrets are encrypted with the first', async (t) => {
  const { id, secret } = await call('CreateWebhook', { url: 'https://a.example.com/', events: [] })
  await call('RotateWebhook', { webhook_id: id })
  const next = Buffer.alloc(32, 8)
  const box = createSecretBox([next, testEncryptionKey])
  const stores = createStores(database.fork())
  t.is(await reencryptWebhooks(stores, box), 1)
  t.is(await reencryptWebhooks(stores, box), 0)
  const [found] = await stores.webhooks.findTargets([id])
  t.is(createSecretBox([next]).decrypt(found?.previousSecret ?? '', `webhooks/${id}`), secret)
})

test.serial(
  'if the log has no entry at the position, the webhooks continue at its end',
  async (t) => {
    const receiver = await startReceiver(t)
    await call('CreateWebhook', { url: receiver.url, events: ['group.*'] })
    await record()
    await seal()
    await pool.query("update webhook_feed set hash = 'another history'")
    await deliver()
    t.is(receiver.received.length, 0)
    t.true(environment.warnings.some((text) => text.includes('has no entry at the position')))
    await record()
    await deliver()
    t.is(receiver.received.length, 1)
  },
)
