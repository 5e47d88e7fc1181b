import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createDaikon } from '@daikon-auth/client'
import pg from 'pg'
import { createApp } from './app.ts'
import { startDelivery } from './outbox.ts'

/** Where `npm run dev` keeps its service key and the address of its PostgreSQL. */
const dev = join(import.meta.dirname, '../../../.daikon')
const { env } = process

const daikon = createDaikon({
  address: env.DAIKON_ADDRESS ?? 'localhost:50051',
  service: 'docs',
  serviceKey: env.DAIKON_SERVICE_KEY ?? readFileSync(join(dev, 'demo-service-key'), 'utf8').trim(),
})
const pool = new pg.Pool({ connectionString: env.DATABASE_URL ?? (await createDevDatabase()) })
pool.on('error', (error) => console.error('database:', error.message))
await pool.query(readFileSync(join(import.meta.dirname, '../schema.sql'), 'utf8'))
const stopDelivery = startDelivery(pool, daikon)

const server = createApp(pool, daikon).listen(Number(env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://localhost:${(server.address() as AddressInfo).port}/documents`)
})

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    stopDelivery()
    server.closeAllConnections()
    server.close(async () => {
      await pool.end()
      daikon.close()
    })
  })

/** Creates a database next to daikon's. */
async function createDevDatabase(): Promise<string> {
  const url = new URL(readFileSync(join(dev, 'database-url'), 'utf8').trim())
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const { rowCount } = await client.query(
    `select from pg_database where datname = 'documents_express'`,
  )
  if (!rowCount) await client.query('create database documents_express')
  await client.end()
  url.pathname = '/documents_express'
  return url.href
}
