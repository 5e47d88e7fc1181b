import pg from 'pg'
import type { StatementPool } from '../src/database/statement-pool.ts'

/** Runs statements like the server's pool, and can explain the last one. */
export type Planner = {
  statements: StatementPool
  /** Returns EXPLAIN (ANALYZE, BUFFERS) of the last statement, prepared and with a generic plan. */
  explain(): Promise<string>
  close(): Promise<void>
}

/** Opens a planner on one connection with the settings of the server's statement pool. */
export async function openPlanner(url: string): Promise<Planner> {
  const options = '-c plan_cache_mode=force_generic_plan -c jit=off'
  const client = new pg.Client({ connectionString: url, options })
  await client.connect()
  let last: { text: string; values: unknown[] } | undefined

  return {
    statements: {
      async rows<Row extends unknown[]>(_name: string, text: string, values: unknown[]) {
        last = { text, values }
        const { rows } = await client.query<Row>({ text, values, rowMode: 'array' })
        return rows
      },
      counts: () => ({ used: 0, idle: 1, waiting: 0 }),
      close: () => client.end(),
    },
    async explain() {
      if (!last) throw new Error('No statement has been run')
      await client.query(`prepare explained as ${last.text}`)
      const execute = `execute explained(${last.values.map(literal).join(', ')})`
      // Warms up caches, as on a running server.
      for (let turn = 0; turn < 3; turn += 1) await client.query(execute)
      const { rows } = await client.query(`explain (analyze, buffers) ${execute}`)
      await client.query('deallocate explained')
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    },
    close: () => client.end(),
  }
}

/** Returns a literal that PostgreSQL casts to the parameter's type. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (!Array.isArray(value)) return pg.escapeLiteral(String(value))
  const items = value.map((item) => (item === null ? 'null' : JSON.stringify(String(item))))
  return pg.escapeLiteral(`{${items.join(',')}}`)
}
