import { Command } from 'commander'
import type { Difference } from '../../gen/access-copy/check-copy.ts'
import { type ColumnNames, findColumnsProblem } from '../../gen/access-copy/column-names.ts'
import type { FollowProgress, FollowSource } from '../../gen/access-copy/follow-once.ts'
import { findTypesProblem, type KeyTypes } from '../../gen/access-copy/key-types.ts'
import { isSecureUrl } from '../core/loopback.ts'
import { UsageError } from './failure.ts'
import { print } from './output.ts'

type Options = {
  database: string
  types: KeyTypes
  columns?: string
  service: string
  address?: string
  check?: true
}

/** The time between comparisons of what differs, in milliseconds. */
const delayMs = 1000

/** The number of differences that are printed. */
const maxPrinted = 50

export function syncCommand(): Command {
  return new Command('sync')
    .description(
      'keep a copy of what resources accept in the database of a service, until interrupted',
    )
    .requiredOption('--database <url>', 'the database of the service, not that of daikon')
    .requiredOption(
      '--types <types>',
      'resource types and the types of their keys, such as document=uuid,note=bigint',
      readTypes,
    )
    .option(
      '--columns <columns>',
      'columns of your tables that repeat what rows accept, such as document=documents.daikon_accepts',
    )
    .requiredOption('--service <name>', 'the service of the key in DAIKON_SERVICE_KEY')
    .option('--address <url>', 'the URL of the REST API; otherwise DAIKON_ADDRESS')
    .option('--check', 'compare the copy with daikon; exits with status 1 if it differs')
    .action((options: Options, command: Command) => sync(options, command))
}

async function sync(
  { database, types, columns: columnsText, service, address, check }: Options,
  command: Command,
): Promise<void> {
  const columns = readColumns(columnsText, types)
  const url = readAddress(address ?? process.env.DAIKON_ADDRESS)
  const serviceKey = process.env.DAIKON_SERVICE_KEY
  if (!serviceKey) throw new UsageError('Set DAIKON_SERVICE_KEY to a key of the service')
  const { default: pg } = await import('pg')
  const { follow } = await import('../../gen/access-copy/follow.ts')
  const { TableError } = await import('../../gen/access-copy/table-error.ts')
  const { openAccessStream, RefusedStreamError } = await import('./access-stream.ts')
  const pool = new pg.Pool({ connectionString: database, max: 1 })
  pool.on('error', () => {})
  try {
    await pool.query('select 1').catch((error) => {
      throw new UsageError(`--database cannot be used: ${error.message || error.code}`)
    })
    const source: FollowSource = (options) =>
      openAccessStream({ url, serviceKey, service }, options)
    if (check) {
      const { checkCopy } = await import('../../gen/access-copy/check-copy.ts')
      const { compared, differences } = await checkCopy({ pool, types, columns, source, delayMs })
      if (differences.length > 0) process.exitCode = 1
      print(command, { compared, differences }, [
        ...describeDifferences(differences),
        `Compared resources: ${compared}; different: ${differences.length}.`,
      ])
      return
    }
    const interrupted = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => interrupted.abort())
    await follow({
      pool,
      types,
      columns,
      source,
      signal: interrupted.signal,
      isFinal: (error) => error instanceof RefusedStreamError,
      onProgress: createReporter(),
      onDisconnect: (error) => log(`Disconnected: ${error.message}. Connecting again.`),
    })
  } catch (error) {
    const isExpected = error instanceof RefusedStreamError || error instanceof TableError
    throw isExpected ? new UsageError(error.message) : error
  } finally {
    await pool.end()
  }
}

const problems: Record<Difference['problem'], string> = {
  different: 'differs',
  missing: 'is not in the copy',
  unknown: 'is only in the copy',
  column: 'differs in its column',
}

function describeDifferences(differences: Difference[]): string[] {
  const lines = differences
    .slice(0, maxPrinted)
    .map(({ type, id, problem }) => `${type}/${id} ${problems[problem]}.`)
  const more = differences.length - lines.length
  return more > 0 ? [...lines, `And ${more} more.`] : lines
}

function log(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** How often a fill is reported, in milliseconds. */
const reportMs = 2000

function createReporter(): (progress: FollowProgress) => void {
  let phase: FollowProgress['phase'] | undefined
  let reportedAt = 0
  return (progress) => {
    for (const { type, id } of progress.skipped)
      log(`Skipped ${type}/${id}, which does not fit the type of the keys.`)
    const isNew = progress.phase !== phase
    phase = progress.phase
    if (phase === 'following') {
      if (isNew)
        log(`The copy is complete: ${progress.written} written, ${progress.skippedCount} skipped.`)
    } else if (isNew || Date.now() - reportedAt >= reportMs) {
      reportedAt = Date.now()
      log(`Filling the copy: ${progress.written} written.`)
    }
  }
}

/** The key must not cross a network in plaintext. */
function readAddress(address: string | undefined): string {
  if (!address) throw new UsageError('Set --address or DAIKON_ADDRESS to the URL of the REST API')
  if (isSecureUrl(address)) return new URL(address).href.replace(/\/$/, '')
  throw new UsageError(
    `The address must be an https URL, or an http URL of this machine: ${address}`,
  )
}

/** Reads `document=uuid,note=bigint`. */
function readPairs(text: string): Record<string, string> {
  return Object.fromEntries(text.split(',').map((entry) => entry.split('=')))
}

function readColumns(text: string | undefined, types: KeyTypes): ColumnNames {
  const columns = text === undefined ? {} : readPairs(text)
  const problem = findColumnsProblem(columns, types)
  if (problem) throw new UsageError(`--columns ${problem}`)
  return columns
}

function readTypes(text: string): KeyTypes {
  const types = readPairs(text) as KeyTypes
  const problem = findTypesProblem(types)
  if (problem) throw new UsageError(`--types ${problem}`)
  return types
}
