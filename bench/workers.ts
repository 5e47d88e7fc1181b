import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startRedis } from '../test/limits/redis-server.ts'
import { endChildren, startChild } from './children.ts'
import type { Result } from './load.ts'
import { openPlace, type Place } from './place.ts'
import { prepareRequests } from './requests.ts'

/** `node bench/workers.ts`: single checks, 64 under way, with WORKERS=1 and WORKERS=2, interleaved. */
const rounds = 5
const seconds = 3
const inFlight = 64
const counts = [1, 2]

const place = await openPlace(true)
const redis = await startRedis()
const servers: Awaited<ReturnType<typeof startServer>>[] = []
try {
  for (const workers of counts) servers.push(await startServer(place, workers))
  const [first] = servers
  if (!first) throw new Error('no servers')
  const load = startChild('load.ts')
  const { daikon: file, allowed } = await prepareRequests(place, first.port, 1, 1000)
  process.stdout.write(`1000 requests: ${(allowed * 100).toFixed(0)} % of the items are allowed
${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}; ${inFlight} under way on 4 connections
`)
  const measured = new Map(servers.map(({ workers }) => [workers, [] as Result[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const { workers, port } of servers) {
      const result = await load.ask<Result>({ port, file, inFlight, seconds })
      if (result.wrong > 0 || result.calls === 0) throw new Error(`${result.wrong} are wrong`)
      measured.get(workers)?.push(result)
    }
  }
  process.stdout.write('| workers | check/s | p50 ms | p99 ms | rounds |\n|--:|--:|--:|--:|---|\n')
  for (const [workers, results] of measured) {
    const of = (read: (result: Result) => number, digits: number) =>
      median(results.map(read)).toFixed(digits)
    const each = results.map(({ rate }) => rate.toFixed(0)).join(', ')
    const cells = [workers, of(({ rate }) => rate, 0), of(({ p50 }) => p50, 2)]
    process.stdout.write(`| ${[...cells, of(({ p99 }) => p99, 2), each].join(' | ')} |\n`)
  }
} finally {
  endChildren()
  for (const server of servers) await server.stop()
  await redis.stop()
  await place.close()
}

/** The server as production starts it; only the global limit, which gRPC has not, is beside the point. */
async function startServer({ url, keyPaths }: Place, workers: number) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
    env: {
      ...{ PATH: process.env.PATH, WORKERS: `${workers}`, DATABASE_URL: url, REDIS_URL: redis.url },
      ...{ HTTP_HOST: '127.0.0.1', GRPC_HOST: '127.0.0.1' },
      ...{ HTTP_PORT: '0', GRPC_PORT: '0', METRICS_PORT: '0' },
      ...{ JWT_PRIVATE_KEY_PATH: keyPaths.privatePath, JWT_PUBLIC_KEY_PATH: keyPaths.publicPath },
      ...{ DEBUG: 'false', SESSION_SECRET_KEY: 'bench', SERVICE_KEYS_REQUIRED: 'true' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const listening = Promise.withResolvers<number>()
  exited.then(() => listening.reject(new Error('The server does not start')))
  createInterface(child.stdout).on('line', (line) => {
    const { msg, grpc_port } = JSON.parse(line)
    if (msg === 'daikon is listening') listening.resolve(grpc_port)
  })
  const port = await listening.promise
  return {
    workers,
    port,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
