import test from 'ava'
import { type AttackEffect, formatEffect, startAttackedServer } from '../support/attacked-server.ts'

const server = await startAttackedServer()
test.after.always(() => server.stop())

const attackers = new URL('./grpc-attackers.ts', import.meta.url)

type Attack = {
  title: string
  name: string
  options: { seconds: number } & Record<string, unknown>
  /** The maximum CPU time of the server in seconds, with the calls of the neighbour. */
  cpu: number
  /** The maximum growth of its memory in MiB. */
  growth: number
}

const attacks: Attack[] = [
  {
    title: 'binary metadata of 64 kB on 1,000 streams',
    name: 'sendMetadata',
    options: { streams: 1000, header: 'x-bin', copies: 15, seconds: 5 },
    cpu: 3,
    growth: 100,
  },
  {
    title: 'binary metadata of 480 kB on 1,000 streams, beyond the announced maximum',
    name: 'sendMetadata',
    options: { streams: 1000, header: 'x-bin', copies: 118, seconds: 5 },
    cpu: 3,
    growth: 200,
  },
  {
    title: 'ordinary metadata of 480 kB on 1,000 streams',
    name: 'sendMetadata',
    options: { streams: 1000, header: 'x-any', copies: 118, seconds: 5 },
    cpu: 3,
    growth: 200,
  },
  {
    title: '20 compressed messages of two million items each',
    name: 'sendCompressed',
    options: { messages: 20, seconds: 30 },
    cpu: 2,
    growth: 100,
  },
  {
    title: '10 messages of two million items each, with an unknown service key',
    name: 'sendLarge',
    options: { messages: 10, seconds: 30 },
    cpu: 3,
    growth: 150,
  },
  {
    title: 'complete messages of 16 kB on 4,000 streams that do not end',
    name: 'leaveOpen',
    options: { connections: 4, streams: 1000, bytes: 16_000, seconds: 8 },
    cpu: 8,
    growth: 350,
  },
  {
    title: '20,000 streams without a message',
    name: 'leaveOpen',
    options: { connections: 20, streams: 1000, bytes: 0, seconds: 8 },
    cpu: 10,
    growth: 350,
  },
]

for (const { title, name, options, cpu, growth } of attacks)
  test.serial(`a stranger sends ${title}: the neighbour loses no call`, async (t) => {
    const effect: AttackEffect = await server.attack(attackers, name, options)
    t.log(formatEffect(effect))
    t.true(effect.isRunning)
    // On a busy machine, the database may respond too late.
    const failures = Object.keys(effect.neighbour.failed)
    t.deepEqual(
      failures.filter((error) => !error.includes('STORAGE_UNAVAILABLE')),
      [],
    )
    t.true(effect.cpuSeconds < cpu, `${effect.cpuSeconds} s of CPU`)
    t.true(effect.memory.peak < effect.memory.before + growth, `${effect.memory.peak} MiB`)
  })
