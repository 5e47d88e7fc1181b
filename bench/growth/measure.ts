import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { openDatabase } from '../../src/database/database.ts'
import { poolTimeouts } from '../../src/database/pool.ts'
import { readKeys } from '../../src/identity/keys.ts'
import { createTokens } from '../../src/identity/tokens.ts'
import { createTransports } from '../../test/support/create-transports.ts'
import type { ServerState } from '../child-process.ts'
import { startBenchProcess } from '../child-process.ts'
import { medianOf } from '../rounds.ts'
import { administrationRowsOf } from './admin-calls.ts'
import { idOf } from './binary-rows.ts'
import { type GrowthCall, rowsOf } from './calls.ts'
import { type Change, changesOf } from './changes.ts'
import type { GrowthDatabase } from './load.ts'
import * as shape from './shape.ts'

/** What PostgreSQL read and computed for one call: the medians of several. */
export type Cost = { label: string; grows?: string; pages: number; milliseconds: number }

/** The costs of calls at each size. */
export type GrowthResults = { size: shape.GrowthSize; costs: Cost[] }[]

type KeyPaths = { privatePath: string; publicPath: string }

const warmUps = 2
const runs = 3

/**
 * Measures every row with a server on the database. Pages are those that the statements of a call
 * hit or read, with those of their triggers. Lists check children of more than `maxListFolders`.
 */
export async function measureCosts(
  { url, size }: GrowthDatabase,
  keyPaths: KeyPaths,
  wanted: (label: string) => boolean,
  maxListFolders?: number,
): Promise<Cost[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const admin = idOf('user', size.people + shape.readersSharesOf(size).length)
  await client.query('update users set is_admin = true where id = $1', [admin])
  // An index-only scan also reads the pages of rows that an earlier run has changed.
  await client.query('vacuum (index_cleanup off) resources, shares, users, members')
  const server = startBenchProcess(
    'daikon-server.ts',
    url,
    keyPaths.privatePath,
    keyPaths.publicPath,
    ...(maxListFolders === undefined ? [] : ['', '', '0', String(maxListFolders)]),
  )
  const { port } = await server.request<ServerState>({})
  const [transport] = createTransports({ operations: [] }, { grpcPort: port, httpPort: 0 })
  if (!transport) throw new Error('No transport')
  const signed = await createSigner(keyPaths)
  const send = async ({ method, message, credentials, expect }: GrowthCall) => {
    const token = credentials.token && (await signed(credentials.token))
    const outcome = await transport.call(method, message, {
      ...credentials,
      ...(token && { token }),
      ...(credentials.admin && { admin: await signed(credentials.admin) }),
    })
    if (!outcome.ok || expect?.(outcome.message) === false)
      throw new Error(`${method} ${JSON.stringify(message)}: ${JSON.stringify(outcome)}`)
  }
  const costs: Cost[] = []
  try {
    const context = {
      size,
      token: (person: number, workspace: number) => `${person} ${workspace}`,
    }
    const rows = [...rowsOf(context), ...administrationRowsOf(size, `admin ${admin}`)]
    for (const { label, grows, call, undo } of rows) {
      if (!wanted(label)) continue
      const cost = await measure(async (n) => {
        await start()
        await send(call(n))
        const result = await end()
        if (undo) await send(undo(n))
        return result
      })
      costs.push({ label, ...(grows && { grows }), ...cost })
    }
    for (const change of changesOf(size, admin)) {
      if (wanted(change.label))
        costs.push({ label: change.label, ...(await measureChange(change)) })
    }
    return costs
  } finally {
    transport.close()
    process.kill(server.pid)
    await client.end()
  }

  async function start(): Promise<void> {
    await client.query('select pg_stat_statements_reset()')
  }

  async function end() {
    const { rows } = await client.query(
      `select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as pages,
         coalesce(sum(total_exec_time), 0) as milliseconds
       from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database())
         and query !~ 'pg_stat_statements'`,
    )
    return rows[0] as { pages: number; milliseconds: number }
  }

  async function measure(run: (n: number) => Promise<Omit<Cost, 'label'>>) {
    const results = []
    for (let n = 0; n < warmUps + runs; n += 1) {
      const result = await run(n)
      if (n >= warmUps) results.push(result)
    }
    return {
      pages: medianOf(results, ({ pages }) => pages),
      milliseconds: medianOf(results, ({ milliseconds }) => milliseconds),
    }
  }

  /** Measures a change in a transaction that is rolled back, so that the data remain. */
  async function measureChange({ prepare, change }: Change) {
    const database = await openDatabase(url, () => {}, poolTimeouts, { urls: [] })
    try {
      return await measure(async (n) => {
        const em = database.fork()
        await em.begin()
        try {
          if (prepare) await em.execute(prepare)
          await start()
          await change({ ...database, fork: () => em }, n)
          return await end()
        } finally {
          await em.rollback()
        }
      })
    } finally {
      await database.close()
    }
  }
}

/** Returns a signer of the tokens that `rowsOf` asks for: `<person> <workspace>`, or `admin <ID>`. */
async function createSigner(keyPaths: KeyPaths) {
  const keys = await readKeys(keyPaths)
  const tokens = createTokens({
    currentKeys: () => keys,
    issuer: 'http://localhost:8000',
    now: () => new Date(),
  })
  const known = new Map<string, Promise<string>>()
  return (name: string) => {
    const token = known.get(name) ?? sign(name)
    known.set(name, token)
    return token
  }

  function sign(name: string): Promise<string> {
    const [who = '', what = ''] = name.split(' ')
    const profile = { jti: randomUUID(), email: 'someone@example.com', name: 'Someone' }
    if (who === 'admin')
      return tokens.sign('admin_access', { ...profile, sub: what, admin: true }, 3600)
    const claims = { wid: idOf('workspace', Number(what)), wslug: 'w', wrole: 'viewer' as const }
    const sub = idOf('user', Number(who))
    return tokens.sign('access', { ...profile, sub, ...claims, groups: [] }, 3600)
  }
}
