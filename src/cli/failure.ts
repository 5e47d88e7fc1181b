import { CommanderError } from 'commander'
import { ConfigError } from '../config/config.ts'
import { describeError } from '../core/describe-error.ts'
import { ServiceError } from '../core/errors.ts'
import { splitHosts } from '../core/postgres-hosts.ts'
import { readConfig } from '../server/config.ts'
import { explainPort, portSettings, readPort } from '../server/ports.ts'

/** An error in the arguments or in the state of the machine, which the operator can correct. */
export class UsageError extends Error {}

/** The text that a process prints before it exits, and its exit status. */
export type Failure = { message: string; exitCode: 1 | 2; isExpected: boolean }

/** SQLSTATEs of a rejected connection: invalid authorization, wrong password, unknown database. */
const rejectedConnection = ['28000', '28P01', '3D000']

/** Codes of errors of this server whose message tells the operator what to do. */
const ownCodes = ['DATA_DIR_IN_USE', 'ASYNCHRONOUS_COMMIT', 'NEWER_FACTS', 'TRANSACTION_POOLING']

/** Codes of errors of this server that may pass without a correction. */
const temporaryCodes = ['MIGRATION_BLOCKED', 'READ_ONLY']

const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH']

/**
 * Explains why a command or a server stopped. If the operator can correct the cause, the status is
 * 2 and the message has one line per mistake; otherwise the status is 1.
 */
export async function explainFailure(error: unknown): Promise<Failure> {
  const message = await explainCorrectable(error)
  if (message !== undefined) return { message, exitCode: 2, isExpected: true }
  const { databaseError } = await import('../database/database-errors.ts')
  const fromDatabase = databaseError(error)
  const isExpected =
    fromDatabase instanceof ServiceError ||
    temporaryCodes.includes((error as { code?: string })?.code ?? '')
  return { message: describeError(fromDatabase).message, exitCode: 1, isExpected }
}

/** Ends a server process that could not start. Prints a stack trace only for unexpected errors. */
export async function exitAfterFailure(error: unknown): Promise<never> {
  const { message, exitCode, isExpected } = await explainFailure(error)
  const { stack = message } = describeError(error)
  process.stderr.write(`${isExpected ? message : stack}\n`)
  process.exit(exitCode)
}

async function explainCorrectable(error: unknown): Promise<string | undefined> {
  if (!(error instanceof Error)) return undefined
  if (error instanceof ConfigError || error instanceof UsageError) return error.message
  if (error instanceof CommanderError) return error.message
  const { lacksMigrations } = await import('../database/database-errors.ts')
  if (lacksMigrations(error)) {
    return 'The database has not been migrated. Run `daikon migrate` first.'
  }
  const { code, path, message } = error as NodeJS.ErrnoException
  // Another process may take a port after it was found to be free. grpc-js reports the socket error
  // only in its message.
  const [, reason, port] = /listen (EADDRINUSE|EACCES)\b.*:(\d+)/.exec(message) ?? []
  if (port !== undefined) return explainPort(reason, Number(port), findPortSetting(Number(port)))
  if (ownCodes.includes(code ?? '')) return message
  if (code === 'ENOENT' && path !== undefined) return `${path} does not exist`
  if (code === 'EACCES' && path !== undefined) return `${path} is not accessible: permission denied`
  return explainDatabase(error) ?? explainServiceError(error)
}

function findPortSetting(port: number): string {
  const config = readConfig(process.env)
  return portSettings.find((name) => readPort(config, name) === port) ?? 'its setting'
}

function explainDatabase(error: Error): string | undefined {
  // Connecting to a host with several addresses fails with one error for each.
  const causes = error instanceof AggregateError ? error.errors : [error, error.cause]
  const codes: string[] = causes.map((cause) => cause?.code ?? '')
  const host = databaseHost()
  if (codes.some((code) => unreachable.includes(code))) {
    return `Cannot connect to PostgreSQL at ${host} (${codes.find(Boolean)}): start it, or correct DATABASE_URL`
  }
  return codes.some((code) => rejectedConnection.includes(code))
    ? `PostgreSQL at ${host} rejected the connection (${error.message}): correct DATABASE_URL`
    : undefined
}

function databaseHost(): string {
  const [url = ''] = splitHosts(process.env.DATABASE_URL ?? '')
  return URL.canParse(url) ? new URL(url).host : 'the address in DATABASE_URL'
}

function explainServiceError(error: Error): string | undefined {
  return error instanceof ServiceError && ['invalid_argument', 'not_found'].includes(error.code)
    ? error.message
    : undefined
}
