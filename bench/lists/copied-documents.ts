import pg from 'pg'
import {
  prepareIndexes,
  prepareSchema,
} from '../../clients/typescript/src/access/copy/prepare-schema.ts'
import {
  createTypeTable,
  sharedTables,
} from '../../clients/typescript/src/access/copy/sql/schema.ts'
import { ensureDatabase } from '../bench-database.ts'
import { digest } from '../data-set.ts'
import { copySql } from './copy-sql.ts'

/** Opens a service's database with documents and a copy. It is created if it is missing. */
export async function openCopiedDocuments(url: string, documents: number): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await ensureDatabase(url, `lists_${documents}`) })
  const client = await pool.connect()
  try {
    await ensureCopy(client, documents)
  } finally {
    client.release()
  }
  return pool
}

async function ensureCopy(client: pg.PoolClient, documents: number): Promise<void> {
  const statements = copySql(documents)
  const tables = [...Object.values(sharedTables), createTypeTable('document', 'uuid')]
  const recipe = `bench ${digest([...tables, ...statements])}`
  const { rows } = await client.query(
    `select obj_description('public'::regnamespace, 'pg_namespace') as recipe`,
  )
  if (rows[0]?.recipe === recipe) return
  const startedAt = performance.now()
  process.stderr.write(`Creating a copy of ${documents} documents …\n`)
  await client.query('drop schema if exists daikon_access cascade')
  await client.query('drop table if exists documents')
  await client.query(`set maintenance_work_mem = '512MB'`)
  await prepareSchema(client, { document: 'uuid' })
  for (const statement of statements) await client.query(statement)
  await prepareIndexes(client, { document: 'uuid' })
  await client.query('vacuum (analyze)')
  await client.query('checkpoint').catch(() => {})
  await client.query(`comment on schema public is '${recipe}'`)
  process.stderr.write(`Created in ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`)
}

/** Deletes the database. Its pool must have ended. */
export async function dropCopiedDocuments(url: string, documents: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const name = `${new URL(url).pathname.slice(1)}_lists_${documents}`
    await client.query(`drop database ${pg.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}
