import { constants, setPriority } from 'node:os'
import pg from 'pg'
import { type Access, createAccess } from '../../clients/typescript/src/access.ts'
import { openDaikon } from '../daikon-client.ts'
import type { FollowerJob, FollowerResult } from './follower-job.ts'

/**
 * Keeps a copy in a process of its own. With `background`, it and its connections have the lowest priority,
 * because they run on other machines in production.
 */
const [url = '', port = '', background = ''] = process.argv.slice(2)
const lowest = constants.priority.PRIORITY_LOW
const pool = new pg.Pool({ connectionString: url })
if (background) {
  setPriority(lowest)
  pool.on('connect', (client) =>
    setPriority((client as { processID?: number }).processID ?? 0, lowest),
  )
}
const daikon = openDaikon(port)
let access: Access | undefined

process.on('message', async (job: FollowerJob) => process.send?.(await run(job)))
process.once('disconnect', () => process.exit())

async function run({ types }: FollowerJob): Promise<FollowerResult> {
  await access?.close()
  access = undefined
  const startedAt = performance.now()
  const written = types.length > 0 ? await follow(types) : 0
  return { seconds: (performance.now() - startedAt) / 1000, written }
}

/** Resolves once the copy is complete. */
function follow(types: string[]): Promise<number> {
  const opened = createAccess({
    daikon,
    pool,
    types: Object.fromEntries(types.map((type) => [type, 'uuid' as const])),
  })
  access = opened
  return new Promise((resolve, reject) => {
    opened
      .follow({
        onProgress({ phase, written, skippedCount }) {
          if (skippedCount > 0) reject(new Error(`${skippedCount} resources do not fit`))
          if (phase === 'following') resolve(written)
        },
        onDisconnect: reject,
      })
      .catch(reject)
  })
}
