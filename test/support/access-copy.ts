import type { ExecutionContext } from 'ava'
import type pg from 'pg'
import { checkCopy } from '../../clients/typescript/src/access/copy/check-copy.ts'
import type { KeyType } from '../../clients/typescript/src/access/copy/key-types.ts'
import {
  type Access,
  createAccess,
  type FollowProgress,
} from '../../clients/typescript/src/access.ts'
import type { RemoteDaikon, Subject } from '../../clients/typescript/src/daikon.ts'
import { formatPosition, historyOf } from '../../src/access-keys/position.ts'
import { patient } from './access-script.ts'
import { cloneDatabase } from './database.ts'
import { waitUntil } from './wait-until.ts'

/** A follower with a client of daikon, and what it has reported. */
export type CopyFollower = {
  daikon: RemoteDaikon
  access: Access
  /** The cursor with which each stream was opened. */
  cursors: (string | undefined)[]
  progress: FollowProgress[]
  failures: Error[]
  /** The error with which the follower has ended, or undefined. */
  ended: Promise<Error | undefined>
  close(): Promise<void>
}

/** The database of a service with a copy. */
export type Copy = {
  pool: pg.Pool
  /** Starts a follower, which is closed after the test. */
  follow(daikon: RemoteDaikon): CopyFollower
  /** Waits until the copy contains everything that was committed before the call, and until a fill has ended. */
  settle(follower: CopyFollower): Promise<void>
  /** Returns the IDs of the documents on which a subject may perform an action, in order. */
  list(follower: CopyFollower, subject: Subject, action?: string): Promise<string[]>
  /** Returns what `daikon sync --check` finds. */
  findDifferences(follower: CopyFollower): ReturnType<typeof checkCopy>
  /** The keys of the copy, as `<level>@<holder>`. */
  keys(): Promise<string[]>
  state(): Promise<{ cursor: string; generation: string }>
}

/**
 * Creates the database of a service with a table `documents`, and a copy of what documents accept. `daikonPool` is
 * a pool for the database of daikon.
 */
export async function createCopy(
  t: ExecutionContext,
  daikonPool: pg.Pool,
  keyType: KeyType,
): Promise<Copy> {
  const types = { document: keyType }
  const database = await cloneDatabase()
  const { pool } = database
  t.teardown(database.drop)
  await pool.query(`create table documents (id ${keyType} primary key, title text)`)
  return {
    pool,
    follow(daikon) {
      const cursors: CopyFollower['cursors'] = []
      const progress: FollowProgress[] = []
      const failures: Error[] = []
      const watchAccess: RemoteDaikon['watchAccess'] = (options) => {
        cursors.push(options?.cursor)
        return daikon.watchAccess(options)
      }
      const access = createAccess({ daikon: { ...daikon, watchAccess }, pool, types })
      const ended = access
        .follow({
          onProgress: (one) => progress.push(one),
          onDisconnect: (error) => failures.push(error),
        })
        .then(
          () => undefined,
          (error: Error) => error,
        )
      const close = async () => {
        await access.close()
        daikon.close()
      }
      t.teardown(close)
      return { daikon, access, cursors, progress, failures, ended, close }
    },
    async settle({ access }) {
      await access.waitFor(await findPosition(daikonPool), patient)
      await waitUntil(async () => {
        const { rows } = await pool.query(
          'select swept = generation as done from daikon_access.state',
        )
        return rows[0].done
      })
    },
    async list({ access }, subject, action = 'view') {
      const visible = await access.visible(subject, action, 'document')
      const { rows } = await pool.query(
        `select d.id::text from documents d where ${visible.sql('d.id', '$1')} order by d.id`,
        [visible.keys],
      )
      return rows.map(({ id }) => id)
    },
    findDifferences: ({ daikon }) =>
      checkCopy({ pool, types, source: daikon.watchAccess, delayMs: 1000 }),
    async keys() {
      const { rows } = await pool.query(
        "select level || '@' || holder as key from daikon_access.keys order by 1",
      )
      return rows.map(({ key }) => key)
    },
    async state() {
      const { rows } = await pool.query('select cursor, generation::text from daikon_access.state')
      return rows[0]
    },
  }
}

/** Returns a position that covers everything that was committed before the call. */
export async function findPosition(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query(
    'select facts_identity() as identity, pg_snapshot_xmax(pg_current_snapshot())::text as number',
  )
  const history = historyOf(rows[0].identity)
  return formatPosition({ history, number: Number(rows[0].number) })
}
