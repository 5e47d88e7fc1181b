import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { v7 as uuid } from 'uuid'
import { idOf, kind } from './data-set.ts'
import type { largeWorkspaceOf, Size } from './data-set-size.ts'
import type { Result } from './load.ts'
import { latenciesOf } from './quantiles.ts'
import { createPicker } from './shared-resources.ts'

/**
 * The resources that the driver writes. They have a separate type and are deleted after the
 * measurement.
 */
export type WriteTarget = Size &
  Pick<ReturnType<typeof largeWorkspaceOf>, 'firstUser' | 'members' | 'workspace'> & {
    kindId: number
    shareable: { id: string; resource_id: string }[]
  }

/**
 * A job for a process that runs prepared statements with only the driver: a round trip, reading an
 * indexed row, or an INSERT.
 */
export type DriverJob = {
  statement: keyof typeof statements
  inFlight: number
  seconds: number
  target?: WriteTarget
}

const [url] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, max: 10 })
const pick = createPicker(1)
let counter = 0

const statements = {
  'round trip': () => ({ name: 'one', text: 'select 1', values: [] }),
  row: ({ resources = 1 }: WriteTarget) => ({
    name: 'row',
    text: `select r.* from resource_kinds k join resources r on r.kind_id = k.id
      where service_name = $1 and resource_type = $2 and resource_id = $3`,
    values: [kind.service_name, kind.resource_type, idOf('r', pick(resources))],
  }),
  'thousand ids': ({ workspace }: WriteTarget) => ({
    name: 'thousand ids',
    text: `select resource_id from resources where workspace_id = $1 and kind_id = (
        select id from resource_kinds where service_name = $2 and resource_type = 'file'
      ) order by resource_id limit 1000`,
    values: [idOf('w', workspace), kind.service_name],
  }),
  resource: ({ kindId, users, workspaces }: WriteTarget) => {
    counter += 1
    const user = counter % users
    return {
      name: 'resource',
      text: `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
        values ($1, $2, $3, $4, $5, $6)`,
      values: [uuid(), kindId, uuid(), idOf('w', user % workspaces), idOf('u', user), 'private'],
    }
  },
  // Inserts the share and its activity event in one statement.
  share: ({ kindId, shareable, members, firstUser, workspace }: WriteTarget) => {
    counter += 1
    const index = counter % shareable.length
    const user = idOf('u', firstUser + (Math.floor(counter / shareable.length) % members))
    const { id, resource_id } = shareable[index] as { id: string; resource_id: string }
    const workspaceId = idOf('w', workspace)
    const detail = { ...kind, resource_id, grantee_type: 'user', grantee_id: user }
    return {
      name: 'share',
      text: `with log as (
          insert into activity (id, action, target_type, target_id, actor_id, workspace_id, detail)
          values ($1, 'permission.shared', 'permission', $2, $3, $4, $5)
        )
        insert into shares
          (id, kind_id, resource_id, workspace_id, user_id, permission, granted_by)
        values ($6, $7, $8, $4, $9, 'view', $3)`,
      values: [
        uuid(),
        id,
        user,
        workspaceId,
        JSON.stringify({ ...detail, permission: 'view' }),
        uuid(),
        kindId,
        resource_id,
        user,
      ],
    }
  },
}

process.on('message', async (job: DriverJob) => process.send?.(await run(job)))
process.once('disconnect', () => process.exit())

async function run({ statement, inFlight, seconds, target }: DriverJob): Promise<Result> {
  let times: number[] = []
  let calls = 0
  let isOver = false
  async function work() {
    while (!isOver) {
      const started = performance.now()
      await pool.query(statements[statement](target as WriteTarget))
      times.push(performance.now() - started)
      calls += 1
    }
  }
  const workers = Array.from({ length: inFlight }, work)
  await sleep(500)
  times = []
  const started = performance.now()
  await sleep(seconds * 1000)
  const elapsed = (performance.now() - started) / 1000
  isOver = true
  const measured = { rate: times.length / elapsed, ...latenciesOf(times) }
  await Promise.all(workers)
  return { ...measured, calls, wrong: 0 }
}
