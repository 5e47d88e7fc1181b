import { Command } from 'commander'
import type { FollowProgress, FollowSource } from '../../gen/access-copy/follow-once.ts'
import { findTypesProblem, type KeyTypes } from '../../gen/access-copy/key-types.ts'
import { isSecureUrl } from '../core/loopback.ts'
import { UsageError } from './failure.ts'
import { print } from './output.ts'

type Options = {
  database: string
  types: KeyTypes
  service: string
  address?: string
  check?: true
}

/** The number of resources that `--check` compares, and how long a follower may lag behind. */
const checked = { sample: 1000, delayMs: 3000 }

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
    .requiredOption('--service <name>', 'the service of the key in DAIKON_SERVICE_KEY')
    .option('--address <url>', 'the URL of the REST API; otherwise DAIKON_ADDRESS')
    .option(
      '--check',
      'compare a sample of the copy with daikon; exits with status 1 if it differs',
    )
    .action((options: Options, command: Command) => sync(options, command))
}

async function sync(
  { database, types, service, address, check }: Options,
  command: Command,
): Promise<void> {
  const url = readAddress(address ?? process.env.DAIKON_ADDRESS)
  const serviceKey = process.env.DAIKON_SERVICE_KEY
  if (!serviceKey) throw new UsageError('Set DAIKON_SERVICE_KEY to a key of the service')
  const { default: pg } = await import('pg')
  const { follow } = await import('../../gen/access-copy/follow.ts')
  const { KeyTypeError } = await import('../../gen/access-copy/prepare-schema.ts')
  const { openAccessStream, RefusedStreamError } = await import('./access-stream.ts')
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort())
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
      const { compared, differences } = await checkCopy({ pool, types, source, ...checked })
      if (differences.length > 0) process.exitCode = 1
      print(command, { compared, differences }, [
        ...differences.map(({ type, id }) => `${type}/${id} differs.`),
        `Compared resources: ${compared}; different: ${differences.length}.`,
      ])
      return
    }
    await follow({
      pool,
      types,
      source,
      signal: interrupted.signal,
      isFinal: (error) => error instanceof RefusedStreamError,
      onProgress: createReporter(),
      onDisconnect: (error) => log(`Disconnected: ${error.message}. Connecting again.`),
    })
  } catch (error) {
    const isExpected = error instanceof RefusedStreamError || error instanceof KeyTypeError
    throw isExpected ? new UsageError(error.message) : error
  } finally {
    await pool.end()
  }
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

function readTypes(text: string): KeyTypes {
  const types = Object.fromEntries(text.split(',').map((entry) => entry.split('=')))
  const problem = findTypesProblem(types)
  if (problem) throw new UsageError(`--types ${problem}`)
  return types
}
