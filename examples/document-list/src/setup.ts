import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDaikon, type DaikonClient } from '@daikon-auth/client'
import pg from 'pg'

/** Where `npm run dev` keeps its service key and the address of its PostgreSQL. */
const dev = join(import.meta.dirname, '../../../.daikon')
const { env } = process

/** The workspace whose documents are listed, and its people. By default, those of the demo. */
export const workspaceId = env.WORKSPACE_ID ?? '0d000000-0000-7000-8000-000000000001'
export const people = (env.PEOPLE ?? 'alice@example.com,bob@example.com,carol@example.com').split(
  ',',
)

/** Connects to daikon and to the service's own database, and creates what both need. */
export async function setUp(): Promise<{ daikon: DaikonClient; pool: pg.Pool }> {
  const daikon = createDaikon({
    address: env.DAIKON_ADDRESS ?? 'localhost:50051',
    service: 'docs',
    serviceKey:
      env.DAIKON_SERVICE_KEY ?? readFileSync(join(dev, 'demo-service-key'), 'utf8').trim(),
  })
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL ?? (await createDevDatabase()) })
  pool.on('error', (error) => console.error('database:', error.message))
  await pool.query(readFileSync(join(import.meta.dirname, '../schema.sql'), 'utf8'))
  await declareDocuments(daikon)
  return { daikon, pool }
}

/** Adds the condition of shares that begin later to the declaration of the type, which may have others. */
async function declareDocuments(daikon: DaikonClient): Promise<void> {
  const options = { deadlineMs: 30_000 }
  const types = await daikon.resourceTypes(options)
  const declared = types.find(({ type }) => type === 'document')
  const { description, allowPublic, roles, conditions = [], requirements } = declared ?? {}
  if (conditions.some(({ name }) => name === 'not_before')) return
  const declaration = {
    description,
    allowPublic,
    roles,
    requirements,
    conditions: [
      ...conditions,
      { name: 'not_before', expression: 'now >= params.time', parameters: { time: 'timestamp' } },
    ],
  }
  await daikon.declareType('document', declaration, options)
}

/** Creates a database next to daikon's. */
async function createDevDatabase(): Promise<string> {
  const url = new URL(readFileSync(join(dev, 'database-url'), 'utf8').trim())
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const { rowCount } = await client.query(`select from pg_database where datname = 'document_list'`)
  if (!rowCount) await client.query('create database document_list')
  await client.end()
  url.pathname = '/document_list'
  return url.href
}
