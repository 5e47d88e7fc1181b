import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../../src/database/migrate.ts'
import { measureAccessible } from './accessible.ts'
import { load } from './data.ts'
import { measureFacts } from './facts.ts'
import { compareWithOracle } from './oracle.ts'
import { schema } from './schema.ts'
import { measureWrites } from './writes.ts'

/*
 * `node bench/hierarchy/run.ts [oracle] [facts] [accessible] [writes]`: compares ways to store
 * hierarchies. The database remains in $TMPDIR/daikon-hierarchy for the next run.
 */
const selectedParts = process.argv.slice(2)
const folder = join(tmpdir(), 'daikon-hierarchy')
mkdirSync(folder, { recursive: true })
const embedded = await startEmbedded({ dataDir: folder })
try {
  if (isSelected('oracle')) {
    const small = await connect(await openDatabase('small', async () => {}))
    console.log(await compareWithOracle(small, 10))
    await small.end()
  }
  if (['facts', 'accessible', 'writes'].some(isSelected)) {
    const url = await openDatabase('large', (client) => load(client, console.error))
    const client = await connect(url)
    const other = await connect(url)
    if (isSelected('facts')) print(await measureFacts(client, externalId, 5))
    if (isSelected('accessible')) print(await measureAccessible(client, 7))
    if (isSelected('writes')) print(await measureWrites(client, other))
    await client.end()
    await other.end()
  }
} finally {
  await embedded.stop()
}

function isSelected(part: string): boolean {
  return selectedParts.length === 0 || selectedParts.includes(part)
}

function print(lines: string[]): void {
  console.log(`${lines.join('\n')}\n`)
}

/** Returns the resource ID that `data.ts` computes in SQL. */
function externalId(n: number): string {
  const digest = createHash('md5').update(`r${n}`).digest('hex')
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    options: '-c plan_cache_mode=force_generic_plan -c jit=off',
  })
  // After an error, PostgreSQL is stopped while its clients are still connected.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Creates and fills a database, unless an earlier run has done so. */
async function openDatabase(
  name: string,
  fill: (client: pg.Client) => Promise<void>,
): Promise<string> {
  const url = new URL(embedded.url)
  url.pathname = `/${name}`
  const admin = await connect(embedded.url)
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
  if (rowCount === 0) {
    await admin.query(`create database ${name}`)
    await migrate(url.href)
    const client = await connect(url.href)
    await client.query(schema)
    await fill(client)
    await client.end()
  }
  await admin.end()
  return url.href
}
