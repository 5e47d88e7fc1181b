import { AccessChangeStore } from '../../../src/permissions/store/access-change-store.ts'
import type { ClusterServer } from '../replication.ts'
import { waitUntil } from '../wait-until.ts'
import type { Agreement } from './nodes.ts'
import { evaluateAll, type Question, subjectForms } from './questions.ts'

/** The servers of a run with faults. `primary` is the one that a failover has promoted last. */
export type Servers = { primary: ClusterServer; standbys: ClusterServer[] }

/** A fault, which may make changes and ask nodes while it lasts. */
export type Fault = (agreement: Agreement, servers: Servers) => Promise<unknown>

/** Waits until the server accepts statements again after a crash. */
const awaitRecovery = ({ query }: ClusterServer) =>
  waitUntil(() =>
    query('select 1').then(
      () => true,
      () => false,
    ),
  )

/** Kills one backend, as the kernel does when memory is short. The server restarts all others. */
async function killBackend({ scene }: Agreement, { primary }: Servers): Promise<void> {
  const { rows } = await scene.pool.query('select pg_backend_pid() as pid')
  process.kill(rows[0].pid, 'SIGKILL')
  await awaitRecovery(primary)
}

/** Pauses replay on all standbys, and waits until it is paused. */
async function pauseReplay({ standbys }: Servers): Promise<void> {
  for (const { query } of standbys) {
    await query('select pg_wal_replay_pause()')
    await waitUntil(async () => {
      const [row] = await query<{ state: string }>(
        'select pg_get_wal_replay_pause_state() as state',
      )
      return row?.state === 'paused'
    })
  }
}

async function resumeReplay({ standbys }: Servers): Promise<void> {
  for (const { query } of standbys) await query('select pg_wal_replay_resume()')
}

/** Uses transaction IDs that no record in the flushed log mentions. */
async function burnTransactionIds({ scene }: Agreement, count: number): Promise<void> {
  const client = await scene.pool.connect()
  try {
    for (let done = 0; done < count; done += 1)
      await client.query('begin; select pg_current_xact_id(); rollback')
  } finally {
    client.release()
  }
}

const setVisibilitySql = 'update resources set visibility = $1'

/** Changes all resources. The pool may find out that its connections are lost. */
const setVisibility = ({ scene }: Agreement, visibility: string) =>
  waitUntil(() =>
    scene.pool.query(setVisibilitySql, [visibility]).then(
      () => true,
      () => false,
    ),
  )

/** Asks about all people until nodes remember the facts, and returns the questions. */
export async function warmUp(
  { scene, askQuestions }: Agreement,
  nodes = scene.nodes,
): Promise<Question[]> {
  const subjects = subjectForms.id?.(scene) ?? []
  const questions = subjects.map((subject) => evaluateAll(scene, subject, 'id', { explain: false }))
  // The first call loads facts, the second reads the changes before them, the third remembers.
  for (let round = 0; round < 3; round += 1) await askQuestions(questions, nodes)
  return questions
}

/** Deletes the records of changes that are older than a minute, which is over. */
async function sweepChanges({ environment, scene }: Agreement): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await scene.pool.query(
      `update access_changes_horizon set noted_at = now() - interval '2 minutes'`,
    )
    await new AccessChangeStore(environment.database.fork()).prune()
  }
}

/** Makes some random changes, about which a part of the nodes is asked. */
async function changeSome(
  { changeAnything }: Agreement,
  count: number,
  nodes?: Agreement['scene']['nodes'],
) {
  for (let done = 0; done < count; done += 1) await changeAnything(nodes)
}

/** Every fault that leaves the database as it is, by name. */
export const faults: Record<string, Fault> = {
  'backend killed': async (agreement, servers) => {
    const { askQuestions } = agreement
    await setVisibility(agreement, 'public')
    const questions = await warmUp(agreement)
    await burnTransactionIds(agreement, 300)
    // The position of the nodes is now after the transaction IDs that follow the crash.
    await askQuestions(questions)
    await killBackend(agreement, servers)
    await setVisibility(agreement, 'private')
    await askQuestions(questions)
  },
  'commit lost in a crash': async (agreement, servers) => {
    // A standby shows only what is flushed, so nodes must read this commit on the primary.
    await pauseReplay(servers)
    await setVisibility(agreement, 'private')
    const client = await agreement.scene.pool.connect()
    await client.query('set synchronous_commit = off')
    await client.query(setVisibilitySql, ['public'])
    client.release(true)
    const questions = await warmUp(agreement)
    await killBackend(agreement, servers)
    await agreement.askQuestions(questions)
    await resumeReplay(servers)
    await agreement.askQuestions(questions)
  },
  'server killed': async (agreement, { primary }) => {
    await primary.kill()
    await primary.start()
    await agreement.ask(undefined, 0.3)
  },
  'changes swept while a node is silent': async (agreement) => {
    const [silent, ...others] = agreement.scene.nodes
    await changeSome(agreement, 2, others)
    await sweepChanges(agreement)
    await agreement.ask(silent && [silent], 0.5)
  },
  'replay paused': async (agreement, servers) => {
    await pauseReplay(servers)
    await changeSome(agreement, 1)
    await resumeReplay(servers)
    await changeSome(agreement, 1)
  },
  'standby paused': async (agreement, { standbys: [standby] }) => {
    await standby?.pause()
    await changeSome(agreement, 1)
    await standby?.resume()
    await changeSome(agreement, 1)
  },
  clock: (agreement) => agreement.change('clock'),
  'database replaced by a copy': async (agreement, { primary }) => {
    const name = new URL(agreement.environment.databaseUrl).pathname.slice(1)
    const alone = async (...statements: string[]) => {
      await primary.query(`alter database ${name} with allow_connections false`)
      for (const statement of [
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
        ...statements,
      ])
        await primary.query(statement)
    }
    const copy = `${name}_copy`
    await alone(
      `create database ${copy} template ${name}`,
      `alter database ${name} with allow_connections true`,
    )
    // The copy knows nothing of this change, which the nodes remember.
    await setVisibility(agreement, 'public')
    const questions = await warmUp(agreement)
    await alone(
      // The fault may happen again.
      `alter database ${name} rename to ${name}_${Date.now()}`,
      `alter database ${copy} rename to ${name}`,
    )
    await agreement.askQuestions(questions)
  },
}

/** Kills the primary and promotes the first standby. Returns the servers after it. */
export async function failOver(agreement: Agreement, servers: Servers): Promise<Servers> {
  const { primary, standbys } = servers
  const [next, ...others] = standbys as [ClusterServer, ...ClusterServer[]]
  await primary.kill()
  await next.promote()
  for (const standby of others) await standby.follow(next)
  await waitUntil(async () => {
    const [row] = await next.query<{ waits: boolean }>('select pg_is_in_recovery() as waits')
    return row?.waits === false
  })
  agreement.follow(next.url)
  await agreement.ask(undefined, 0.3)
  await changeSome(agreement, 2)
  return { primary: next, standbys: others }
}
