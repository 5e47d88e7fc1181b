import type { RemoteDaikon } from '../api.ts'
import type { CallOptions, CheckOptions, Subject } from '../argument-types.ts'
import { DaikonError, DeadlineExceededError, invalidArgument } from '../errors.ts'
import { findUnknownOption } from '../option-names.ts'
import { isUuid } from '../resource-id.ts'
import { sleep } from '../signals.ts'
import { isFinal } from '../watch.ts'
import { type ColumnNames, findColumnsProblem, splitColumnName } from './copy/column-names.ts'
import type { DatabasePool } from './copy/database.ts'
import { follow } from './copy/follow.ts'
import type { FollowProgress } from './copy/follow-once.ts'
import { findTypesProblem, type KeyTypes, tableOf } from './copy/key-types.ts'
import {
  findPosition,
  maxFolderGrants,
  resolveKeys,
  resolveKeysAndColumn,
} from './copy/sql/lists.ts'
import { prepare, queryPrepared } from './prepared.ts'
import { createVisible, type ResolvedKeys, type Visible } from './visible.ts'

export type AccessOptions<Types extends KeyTypes = KeyTypes> = {
  /** The client of daikon. `close` does not close it. */
  daikon: Pick<RemoteDaikon, 'accessKeys' | 'watchAccess' | 'checkMany'>
  /** A pool of `pg` for the database of the service. `close` does not end it. */
  pool: DatabasePool
  /**
   * The resource types that the copy contains, with the type of the primary key of each: `uuid`, `bigint`,
   * `integer` or `text`.
   */
  types: Types
  /**
   * Columns of your tables, of type `bigint[]`, that the follower writes what rows accept to:
   * `{ document: 'documents.daikon_accepts' }`. With them, pages of subjects that see many rows do not look up
   * rows in the copy.
   */
  columns?: ColumnNames<keyof Types & string> | undefined
}

export type FollowOptions = {
  /** Ends the follower. */
  signal?: AbortSignal | undefined
  /** Called after each transaction of the follower. */
  onProgress?: ((progress: FollowProgress) => void) | undefined
  /** Called after a failure of daikon or of the database, before the next attempt. Use it for a log. */
  onDisconnect?: ((error: Error) => void) | undefined
}

export type VisibleOptions = CallOptions & {
  /** The number of rows that a page needs, with those before it. Defaults to 20. */
  rows?: number | undefined
  /** Includes rows that only a check can decide. Pass them to `confirm`. */
  includeMaybe?: boolean | undefined
  /** Returns only resources in this workspace. */
  workspaceId?: string | undefined
}

/** A row of a list. `certain` is false for rows that a check must decide. */
export type CopyRow = { id: string | number | bigint; certain: boolean }

/** Joins lists of the service's database with what subjects may see. */
export type Access<Type extends string = string> = {
  /**
   * Keeps the copy current until `signal` is aborted or the access is closed. One follower works at a time;
   * others wait. Connects again after failures of daikon and of the database.
   *
   * @throws DaikonError if the client's key or arguments are not valid
   * @throws TableError if a table or a column of `columns` is not as the options say
   */
  follow(options?: FollowOptions): Promise<void>
  /**
   * Waits until the copy contains the change with this position, from `daikon.lastPosition()` or the header
   * `X-Daikon-Position`.
   *
   * @throws HistoryChangedError if daikon's database was restored or restarted since
   * @throws DeadlineExceededError after `timeoutMs`, by default 5,000
   */
  waitFor(
    position: string,
    options?: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<void>
  /**
   * Returns a condition on the resources on which the subject may perform the action. Ask for it for each
   * list: what the subject holds is read live.
   *
   * @example
   * const visible = await access.visible({ token }, 'view', 'document', { rows: 20 })
   * const { rows } = await pool.query(
   *   `select d.* from documents d where ${visible.sql('d.id', '$1')} order by d.title limit 20`,
   *   [visible.keys],
   * )
   *
   * @throws DaikonError with the reason `COPY_INCOMPLETE` until the copy has been filled once
   */
  visible(subject: Subject, action: string, type: Type, options?: VisibleOptions): Promise<Visible>
  /**
   * Returns the rows on which the subject may perform the action, in order: those that are certain, and those
   * that one batch of checks allows. `context` is what conditions read.
   */
  confirm<Row extends CopyRow>(
    subject: Subject,
    action: string,
    type: Type,
    rows: readonly Row[],
    options?: CheckOptions,
  ): Promise<Row[]>
  /** Ends `follow`, and resolves once it has ended. */
  close(): Promise<void>
}

/** The position belongs to a history that daikon's database has left. */
export class HistoryChangedError extends DaikonError {
  constructor() {
    const message =
      'The position was issued before the database of daikon was restarted or restored, so it cannot be compared'
    super('failed_precondition', 'HISTORY_CHANGED', message)
  }
}

/** How often `waitFor` reads the position, in milliseconds. */
const pollMs = 25

const maxRows = 1_000_000

const resolving = prepare(resolveKeys)
const resolvingColumn = prepare(resolveKeysAndColumn)

/**
 * Creates what joins lists of a service's own database with permissions. The database has a copy of what
 * resources accept, in the schema `daikon_access`, which `follow` keeps current.
 *
 * @example
 * const access = createAccess({ daikon, pool, types: { document: 'uuid' } })
 * void access.follow({ signal, onDisconnect: (error) => log.warn(error) })
 *
 * @throws InvalidArgumentError if an option is missing or malformed
 */
export function createAccess<Types extends KeyTypes>(
  options: AccessOptions<Types>,
): Access<keyof Types & string> {
  const { daikon, pool, types } = options
  const columns: ColumnNames = options.columns ?? {}
  const unknown = findUnknownOption(options, ['daikon', 'pool', 'types', 'columns'], 'createAccess')
  if (unknown) throw invalidArgument(unknown)
  if (typeof daikon?.watchAccess !== 'function')
    throw invalidArgument({ field: 'daikon', message: 'must be a client of a server' })
  if (typeof pool?.connect !== 'function')
    throw invalidArgument({ field: 'pool', message: 'must be a Pool of pg' })
  const problem = findTypesProblem(types)
  if (problem) throw invalidArgument({ field: 'types', message: problem })
  const columnsProblem = findColumnsProblem(columns, types)
  if (columnsProblem) throw invalidArgument({ field: 'columns', message: columnsProblem })

  const closing = new AbortController()
  const followers = new Set<Promise<void>>()

  function requireKnownType(type: string): void {
    if (Object.hasOwn(types, type)) return
    const known = Object.keys(types).join(', ')
    throw invalidArgument({ field: 'type', message: `must be one of the copy: ${known}` })
  }

  return {
    follow({ signal, onProgress, onDisconnect } = {}) {
      const follower = follow({
        pool,
        types,
        columns,
        source: daikon.watchAccess,
        signal: AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]),
        isFinal,
        onProgress,
        onDisconnect,
      })
      const ended = follower.then(
        () => {},
        () => {},
      )
      followers.add(ended)
      void ended.then(() => followers.delete(ended))
      return follower
    },

    async waitFor(position, { timeoutMs = 5000, signal } = {}) {
      const [, history, number] = /^([0-9a-f]+)-(\d{1,20})$/.exec(position) ?? []
      if (history === undefined || number === undefined)
        throw invalidArgument({ field: 'position', message: 'must be a position of daikon' })
      const wanted = BigInt(number)
      const deadline = Date.now() + timeoutMs
      let isOther = false
      for (;;) {
        const copy = await findCopiedPosition(pool)
        const [current = '', reached = ''] = copy.position?.split('-') ?? []
        if (current === history && BigInt(reached) >= wanted) return
        isOther = current !== '' && current !== history
        if (copy.pastHistories.includes(history) && isOther) throw new HistoryChangedError()
        const left = deadline - Date.now()
        if (left <= 0) {
          // The copy may not have reached a history that has just begun.
          if (isOther) throw new HistoryChangedError()
          throw new DeadlineExceededError(
            `The copy did not reach ${position} in time. Is a follower running?`,
          )
        }
        await sleep(Math.min(pollMs, left), signal)
      }
    },

    async visible(
      subject,
      action,
      type,
      { rows = 20, includeMaybe = false, workspaceId, ...call } = {},
    ) {
      requireKnownType(type)
      if (!Number.isInteger(rows) || rows < 1 || rows > maxRows)
        throw invalidArgument({ field: 'rows', message: `must be an integer from 1 to ${maxRows}` })
      if (workspaceId !== undefined && !isUuid(workspaceId))
        throw invalidArgument({ field: 'workspaceId', message: 'must be a UUID' })
      const held = await daikon.accessKeys(subject, action, type, { ...call, workspaceId })
      const entries = [...held.grants, ...held.maybeGrants]
      const keys = [
        entries.flatMap(({ holders }, entry) => holders.map(() => entry)),
        entries.flatMap(({ holders }) => holders),
        entries.flatMap(({ levels }, entry) => levels.map(() => entry)),
        entries.flatMap(({ levels }) => levels),
        held.grants.length,
        type,
        tableOf(type),
        maxFolderGrants + 1,
      ]
      const name = Object.hasOwn(columns, type) ? columns[type] : undefined
      const column = name === undefined ? undefined : splitColumnName(name)
      const { rows: found } = await readCopy(() =>
        column
          ? queryPrepared(pool, resolvingColumn, [...keys, column.table, column.column])
          : queryPrepared(pool, resolving, keys),
      )
      const resolved = found[0] as ResolvedKeys & { filled: boolean | null; has_column?: boolean }
      if (!resolved.filled) throw incompleteCopy()
      return createVisible(pool, { type, includesMaybe: includeMaybe, workspaceId }, resolved, {
        rows,
        isCut: resolved.granted > maxFolderGrants,
        validUntil: held.validUntil,
        column: !column ? 'none' : resolved.has_column ? 'current' : 'stale',
      })
    },

    async confirm(subject, action, type, rows, options) {
      requireKnownType(type)
      const uncertain = rows.filter(({ certain }) => !certain)
      const results = await daikon.checkMany(
        uncertain.map(({ id }) => ({ subject, action, resource: { type, id: String(id) } })),
        options,
      )
      const allowed = new Set(uncertain.filter((_, index) => results[index]))
      return rows.filter((row) => row.certain || allowed.has(row))
    },

    async close() {
      closing.abort()
      await Promise.all(followers)
    },
  }
}

type CopiedPosition = { position: string | undefined; pastHistories: string[] }

async function findCopiedPosition(pool: DatabasePool): Promise<CopiedPosition> {
  try {
    const { rows } = await pool.query(findPosition)
    const { position, past_histories: pastHistories } = rows[0]
    return { position: position ?? undefined, pastHistories }
  } catch (error) {
    // A follower has not created the copy yet.
    if (isMissing(error)) return { position: undefined, pastHistories: [] }
    throw error
  }
}

/** SQLSTATEs of a schema, table or column that does not exist. */
const missing = ['3F000', '42P01', '42703']

function isMissing(error: unknown): boolean {
  return missing.includes((error as { code?: string }).code ?? '')
}

async function readCopy<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (isMissing(error)) throw incompleteCopy(error)
    throw error
  }
}

function incompleteCopy(cause?: unknown): DaikonError {
  const message =
    'The copy has not been filled yet. Run follow() or `daikon sync`, and wait until it is complete'
  return new DaikonError('failed_precondition', 'COPY_INCOMPLETE', message, { cause })
}
