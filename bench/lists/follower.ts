import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import pg from 'pg'
import { type Access, createAccess } from '../../clients/typescript/src/access.ts'
import type { AccessMessage, RemoteDaikon } from '../../clients/typescript/src/daikon.ts'
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

async function run({ types, recorded = 0 }: FollowerJob): Promise<FollowerResult> {
  await access?.close()
  access = undefined
  const source = recorded > 0 ? await record(types, recorded) : daikon
  const startedAt = performance.now()
  const written = types.length > 0 ? await follow(source, types) : 0
  return { seconds: (performance.now() - startedAt) / 1000, written }
}

/** Returns a client whose stream is in memory: the first resources of daikon's, as if there were no others. */
async function record(types: string[], count: number): Promise<RemoteDaikon> {
  const messages: AccessMessage[] = []
  for await (const message of daikon.watchAccess({ types })) {
    if (message.type !== 'bookmark') messages.push(message)
    else if (message.complete || messages.length > count) {
      messages.push({ ...message, complete: true })
      break
    }
  }
  const watchAccess: RemoteDaikon['watchAccess'] = async function* ({ signal } = {}) {
    yield* messages
    if (signal && !signal.aborted) await once(signal, 'abort')
  }
  return { ...daikon, watchAccess }
}

/** Resolves once the copy is complete. */
function follow(source: RemoteDaikon, types: string[]): Promise<number> {
  const opened = createAccess({
    daikon: source,
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
