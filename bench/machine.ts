import { cpus, totalmem } from 'node:os'
import pg from 'pg'

/** Describes the machine of the measurement in one sentence. */
export async function describeMachine(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('show server_version')
    const gibibytes = Math.round(totalmem() / 2 ** 30)
    const processor = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${gibibytes} GiB`
    const day = new Date().toISOString().slice(0, 10)
    return `${processor}, Node ${process.version}, PostgreSQL ${rows[0].server_version}, ${day}`
  } finally {
    await client.end()
  }
}
