import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../../src/database/embedded/embedded-postgres.ts'
import { findPrograms } from '../../src/database/embedded/postmaster.ts'

/** A PostgreSQL for one test, which can be stopped and restarted on its port. */
export type DedicatedPostgres = {
  url: string
  /** Stops PostgreSQL after aborting transactions (`fast`), or as in a crash (`immediate`). */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /**
   * Starts PostgreSQL unless it is running, and waits until it is ready. Returns whether it was
   * started.
   */
  start(): Promise<boolean>
  close(): Promise<void>
}

/** Creates and starts a PostgreSQL in a folder. */
export async function startDedicatedPostgres(dataDir: string): Promise<DedicatedPostgres> {
  const embedded = await startEmbedded({ dataDir })
  const cluster = join(dataDir, 'postgres')
  const programs = await findPrograms(dataDir, cluster)
  const { port } = new URL(embedded.url)
  return {
    url: embedded.url,
    stop: (mode) => programs.run('pg_ctl', ['stop', '-D', cluster, '-w', '-s', '-m', mode]),
    async start() {
      if (await accepts(embedded.url)) return false
      await using output = await open(join(dataDir, 'postgres.log'), 'a')
      const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=']
      const args = ['-D', cluster, '-p', port, ...settings.flatMap((setting) => ['-c', setting])]
      const child = await programs.start(args, output.fd)
      child.unref()
      while (!(await accepts(embedded.url))) await sleep(20)
      return true
    },
    close: () => embedded.stop(),
  }
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
