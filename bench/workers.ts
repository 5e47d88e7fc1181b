import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startRedis } from '../test/limits/redis-server.ts'
import { type Child, endChildren, type ServerState } from './children.ts'
import { describeMachine } from './machine.ts'
import { openPlace, type Place } from './place.ts'
import { askAround } from './questions.ts'
import { answer, writeChecks } from './requests.ts'
import { createRig } from './rig.ts'
import { interleave, medianOf } from './rounds.ts'

/** `node bench/workers.ts`: single checks, 64 under way, with WORKERS=1 and WORKERS=2, by turns. */
const rounds = 5
const inFlight = 64

const place = await openPlace(true)
const redis = await startRedis()
const one = await startServer(place, 1)
const two = await startServer(place, 2)
try {
  const rig = await createRig(place, { quick: true, rounds, seconds: 3 })
  const answered = await answer(rig, one.child, await askAround(place, 1, 1000))
  const files = [writeChecks(rig, 'workers', answered).daikon]
  const load = ({ child }: typeof one) => rig.measure(child, { kind: 'unary', inFlight, files })
  const taken = await interleave(rounds, { one: () => load(one), two: () => load(two) })
  process.stdout.write(`${await describeMachine(place.url)}; ${inFlight} under way.

| workers | check/s | p50 ms | p99 ms | rounds |
|--:|--:|--:|--:|---|
`)
  for (const [workers, name] of [
    [1, 'one'],
    [2, 'two'],
  ] as const) {
    const [rate, p50, p99] = (['rate', 'p50', 'p99'] as const).map((figure) =>
      medianOf(taken, (round) => round[name][figure]).toFixed(figure === 'rate' ? 0 : 2),
    )
    const each = taken.map((round) => round[name].rate.toFixed(0)).join(', ')
    process.stdout.write(`| ${[workers, rate, p50, p99, each].join(' | ')} |\n`)
  }
} finally {
  endChildren()
  await one.stop()
  await two.stop()
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
  const state: ServerState = { port: await listening.promise, cpu: 0, rss: 0, statements: 0 }
  const asked: Child = { ask: async <Answer>() => state as Answer }
  return {
    child: asked,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
