import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createStores } from '../../src/server/stores.ts'
import { waitUntilBlocked } from '../support/lock-waits.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, database, seed } = environment
test.after.always(() => environment.stop())

test('deliveries are created while others are redacted, and are redacted, too', async (t) => {
  const marker = `m${randomUUID()}`
  const webhook = await seed.webhook('http://127.0.0.1:9/')
  const request_body = `{"name": "${marker}"}`
  await seed.webhookDelivery(webhook, { request_body })
  const blocker = await pool.connect()
  await blocker.query('begin')
  await blocker.query('select from webhook_deliveries where webhook_id = $1 for update', [webhook])
  const redacted = createStores(database.fork()).transaction((tx) =>
    tx.deliveries.redact(marker, (body) => body.replace(marker, '')),
  )
  await waitUntilBlocked(pool)
  const { rows } = await pool.query('select from webhook_feed for update skip locked')
  t.is(rows.length, 1, 'the feed is locked')
  // Before what the redaction has read.
  await seed.webhookDelivery(webhook, {
    id: randomUUID().replace(/^.{8}/, '00000000'),
    request_body,
  })
  await blocker.query('rollback')
  blocker.release()
  await redacted
  const { rows: bodies } = await pool.query(
    'select distinct request_body as body from webhook_deliveries where webhook_id = $1',
    [webhook],
  )
  t.deepEqual(bodies, [{ body: '{"name": ""}' }])
})
