// Threat: a few bytes of a stranger that keep the server busy, fill its memory or end it.
import test, { type ExecutionContext } from 'ava'
import { type AttackEffect, formatEffect, startAttackedServer } from '../support/attacked-server.ts'

const server = await startAttackedServer({
  CONSOLE_ENABLED: 'true',
  CONSOLE_PORT: '0',
  SERVICE_KEYS_REQUIRED: 'true',
})
const { workspace, owner, key } = await server.environment.workspace()
test.after.always(() => server.stop())

const attackers = new URL('../support/http-attackers.ts', import.meta.url)

type Statuses = Record<string, number>

/** The CPU time of the server per request, and the time that it spends on its neighbour, at most. */
/** The calls of the neighbour, which continue until the attack ends, also take CPU time. */
const maxCpuSeconds = (requests: number, neighbourCalls: number) =>
  0.02 * requests + 0.005 * neighbourCalls + 4

/** How long an attack may take on a busy machine. */
const seconds = 240

function assertHarmless(t: ExecutionContext, effect: AttackEffect<Statuses>): void {
  t.log(formatEffect(effect))
  const { result, isRunning, cpuSeconds, memory, neighbour } = effect
  const requests = Object.values(result).reduce((sum, count) => sum + count, 0)
  t.true(isRunning)
  t.true(requests > 0)
  t.is(result['500'] ?? 0, 0)
  // On a busy machine, the database may respond too late.
  const failures = Object.keys(neighbour.failed)
  t.deepEqual(
    failures.filter((error) => !error.includes('STORAGE_UNAVAILABLE')),
    [],
  )
  t.true(neighbour.calls > 0)
  t.true(
    cpuSeconds < maxCpuSeconds(requests, neighbour.calls),
    `${cpuSeconds} s for ${requests} requests`,
  )
  t.true(memory.peak < memory.before + 250, `${memory.peak} MiB at peak`)
}

for (const bytes of [63_000, 252_000]) {
  test.serial(`${bytes} bytes of pipelined requests on each HTTP port delay nobody`, async (t) => {
    const options = { bytes, times: 10, seconds }
    assertHarmless(t, await server.attack<Statuses>(attackers, 'pipelineRequests', options))
  })
}

for (const name of [
  'forms of 64 KiB',
  'JSON bodies of 64 KiB',
  'JSON bodies of 256 KiB on public routes',
  'bodies in chunks of one byte',
  'multipart and CSV of 64 KiB',
  'queries of 15 kB',
  'paths of 15 kB',
  'headers of 15 kB',
  'tokens of 15 kB',
]) {
  test.serial(`the worst ${name} cost a stranger's share on every route`, async (t) => {
    const options = { name, seconds }
    assertHarmless(t, await server.attack<Statuses>(attackers, 'sendWorstInputs', options))
  })
}

const headers = { 'X-Service-Key': key, Authorization: `Bearer ${owner.token}` }

for (const name of [
  'JSON bodies of 256 KiB with credentials',
  'JSON bodies of 4 MiB with credentials',
]) {
  test.serial(`the worst ${name} delay nobody on any route`, async (t) => {
    const options = { name, headers, workspace, seconds }
    assertHarmless(t, await server.attack<Statuses>(attackers, 'sendWorstInputs', options))
  })
}
