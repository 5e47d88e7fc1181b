import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PermissionCheckRequest, PermissionServiceService } from '../gen/daikon/v1/permissions.ts'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { grpcHead } from './credentials.ts'
import { grpcMessage } from './http2-frames.ts'
import type { Prepared } from './prepared.ts'
import { askInCrowd } from './questions.ts'
import type { Rig } from './rig.ts'
import { interleave, medianOf } from './rounds.ts'
import { number, type Row } from './table.ts'
import { openUnary } from './unary-connection.ts'

/**
 * From the start of the process to the first answer of a check, on a folder with data, beside what
 * Node, embedded PostgreSQL and an empty grpc-js server need.
 */
export async function measureStart(rig: Rig, tell: (row: Row) => void): Promise<void> {
  const folders = { daikon: newFolder(), empty: newFolder() }
  try {
    for (const dataDir of Object.values(folders)) {
      const embedded = await startEmbedded({ dataDir })
      await embedded.stop()
    }
    const daikon = () => startOnce(rig, '../src/main.ts', folders.daikon)
    const empty = () => startOnce(rig, 'empty-server.ts', folders.empty)
    // The first start migrates.
    await daikon()
    await empty()
    const taken = await interleave(rig.quick ? 1 : 5, { daikon, empty })
    tell({
      what: 'start to the first answer, beside Node, PostgreSQL and an empty grpc-js server',
      daikon: `${number(medianOf(taken, ({ daikon }) => daikon))} ms`,
      beside: `${number(medianOf(taken, ({ empty }) => empty))} ms`,
      value: medianOf(taken, ({ daikon, empty }) => daikon / empty),
      goal: { most: 1.5 },
    })
  } finally {
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
  }
}

/** Milliseconds until the answer; the process has ended when this resolves. */
async function startOnce(rig: Rig, file: string, dataDir: string): Promise<number> {
  const { privatePath, publicPath } = rig.place.keyPaths
  const [grpc, http, metrics] = await Promise.all([freePort(), freePort(), freePort()])
  const head = grpcHead(PermissionServiceService.check.path, await rig.sign(0, 0))
  const message = PermissionCheckRequest.encode(askInCrowd(rig.place.size, 0, 0)).finish()
  const body = grpcMessage(message)
  const began = performance.now()
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
      GRPC_HOST: '127.0.0.1',
      HTTP_HOST: '127.0.0.1',
    },
  })
  try {
    await firstAnswer(child, grpc, { head, body, expected: Buffer.alloc(0) })
    return performance.now() - began
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

/** Resolves with the first answer; tries to connect until then. */
async function firstAnswer(child: ChildProcess, port: number, request: Prepared): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('the server did not start')
    const requests = [request]
    const answered = Promise.withResolvers<void>()
    const opened = await openUnary({
      port,
      inFlight: 1,
      next: () => requests.shift(),
      onAnswer: () => answered.resolve(),
    }).catch(() => undefined)
    if (opened) {
      await answered.promise
      opened.stop()
      return
    }
    await sleep(2)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (!address || typeof address === 'string') throw new Error('no port')
  return address.port
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'daikon-start-'))
}
