import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PermissionCheckRequest, PermissionServiceService } from '../gen/daikon/v1/permissions.ts'
import { findFreePort } from '../src/core/free-port.ts'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { createLargeWorkspaceCheck } from './check-batches.ts'
import { grpcHead } from './credentials.ts'
import type { Harness } from './harness.ts'
import { grpcMessage } from './http2-frames.ts'
import type { PreparedRequest } from './prepared-requests.ts'
import { interleave, medianOf } from './rounds.ts'
import { formatNumber, type Row } from './table.ts'
import { openUnary } from './unary-connection.ts'

/**
 * Measures the time from the start of the process to the first response to a check, with an
 * existing data folder. Compares it with Node.js, embedded PostgreSQL and an empty grpc-js server.
 */
export async function measureStart(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const folders = { daikon: newFolder(), empty: newFolder() }
  try {
    for (const dataDir of Object.values(folders)) {
      const embedded = await startEmbedded({ dataDir })
      await embedded.stop()
    }
    const daikon = () => startOnce(harness, '../src/main.ts', folders.daikon)
    const empty = () => startOnce(harness, 'startup-baseline.ts', folders.empty)
    // The first start runs the migrations.
    await daikon()
    await empty()
    const results = await interleave(harness.quick ? 1 : 5, { daikon, empty })
    addRow({
      label: 'start to first response, compared with Node, PostgreSQL and an empty grpc-js server',
      daikon: `${formatNumber(medianOf(results, ({ daikon }) => daikon))} ms`,
      baseline: `${formatNumber(medianOf(results, ({ empty }) => empty))} ms`,
      value: medianOf(results, ({ daikon, empty }) => daikon / empty),
      goal: { max: 1.5 },
    })
  } finally {
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the milliseconds until the first response, after the process has exited. */
async function startOnce(harness: Harness, file: string, dataDir: string): Promise<number> {
  const { privatePath, publicPath } = harness.database.keyPaths
  const [grpc, http, metrics] = await Promise.all([findFreePort(), findFreePort(), findFreePort()])
  const head = grpcHead(PermissionServiceService.check.path, await harness.signToken(0, 0))
  const message = PermissionCheckRequest.encode(
    createLargeWorkspaceCheck(harness.database.size, 0, 0),
  ).finish()
  const body = grpcMessage(message)
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      REDIS_URL: '',
      LOG_LEVEL: 'warn',
      JWT_PRIVATE_KEY_PATH: privatePath,
      JWT_PUBLIC_KEY_PATH: publicPath,
      GRPC_PORT: `${grpc}`,
      HTTP_PORT: `${http}`,
      METRICS_PORT: `${metrics}`,
      CONSOLE_ENABLED: 'false',
      GRPC_HOST: '127.0.0.1',
      HTTP_HOST: '127.0.0.1',
    },
  })
  try {
    await waitForFirstResponse(child, grpc, { head, body, expected: Buffer.alloc(0) })
    return performance.now() - startedAt
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

/** Connects repeatedly and waits for the first response. */
async function waitForFirstResponse(
  child: ChildProcess,
  port: number,
  request: PreparedRequest,
): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('The server did not start')
    const requests = [request]
    const response = Promise.withResolvers<boolean>()
    const connection = await openUnary({
      port,
      inFlight: 1,
      next: () => requests.shift(),
      onResponse: () => response.resolve(true),
      // Before it starts, the server listens for an instant, to see whether it can.
      onLost: () => response.resolve(false),
    }).catch(() => undefined)
    if (connection && (await response.promise)) {
      connection.stop()
      return
    }
    await sleep(2)
  }
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'daikon-start-'))
}
