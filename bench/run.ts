import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKeys, readKeys } from '../src/identity/keys.ts'
import { createTokens } from '../src/identity/tokens.ts'
import { startEmbedded } from '../src/storage/embedded.ts'
import { ensureDataSet, fullSize, quickSize } from './data-set.ts'
import type { Job, Result } from './load.ts'
import { prepareRequests } from './requests.ts'

/** `npm run bench [-- --quick]`: Check against the floor, interleaved, as ratios. */
const quick = process.argv.includes('--quick')
const size = quick ? quickSize : fullSize
const rounds = quick ? 1 : 5
const seconds = quick ? 1 : 3
const cases = [
  { items: 1, inFlight: 1, goal: undefined },
  { items: 1, inFlight: 8, goal: undefined },
  { items: 1, inFlight: 64, goal: 0.45 },
  { items: 1, inFlight: 256, goal: 0.6 },
  { items: 50, inFlight: 16, goal: undefined },
]

const folder = join(tmpdir(), quick ? 'daikon-bench-quick' : 'daikon-bench')
mkdirSync(folder, { recursive: true })
const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
if (!existsSync(paths.privatePath)) makeKeys(paths)
const url = process.env.BENCH_DATABASE_URL
const embedded = url ? undefined : await startEmbedded({ dataDir: folder })
const databaseUrl = url ?? embedded?.url ?? ''
const children: ChildProcess[] = []

try {
  await ensureDataSet(databaseUrl, size)
  const floor = await startServer('floor-server.ts')
  const daikon = await startServer('daikon-server.ts', databaseUrl, ...Object.values(paths))
  const load = start('load.ts')
  const keys = await readKeys(paths)
  const tokens = createTokens({ keys, issuer: 'http://localhost:8000', now: () => new Date() })
  const measure = async (job: Job) => {
    load.send(job)
    const [result] = (await once(load, 'message')) as [Result]
    if (result.wrong > 0) throw new Error(`${result.wrong} wrong answers`)
    return result
  }

  const rows: string[] = []
  for (const items of new Set(cases.map((row) => row.items))) {
    const prepared = await prepareRequests(daikon.port, tokens, size, items, quick ? 100 : 2000)
    process.stdout.write(`${items} items: ${(prepared.allowed * 100).toFixed(0)} % are allowed\n`)
    const files = [join(folder, `floor-${items}`), join(folder, `daikon-${items}`)] as const
    prepared.expect(files[0], true)
    prepared.expect(files[1], false)
    for (const { inFlight, goal } of cases.filter((row) => row.items === items)) {
      const results = { floor: [] as Result[], daikon: [] as Result[] }
      const before = await countStatements(daikon.child)
      let calls = 0
      for (let round = 0; round < rounds; round += 1) {
        results.floor.push(await measure({ port: floor.port, file: files[0], inFlight, seconds }))
        const own = await measure({ port: daikon.port, file: files[1], inFlight, seconds })
        calls += own.rate * (seconds + 0.5)
        results.daikon.push(own)
      }
      const statements = (await countStatements(daikon.child)) - before
      rows.push(row(items, inFlight, goal, results, statements / calls))
    }
  }
  process.stdout.write(`
${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${size.resources} resources, ${size.resources * 3} shares, ${size.users} users
medians of ${rounds} interleaved rounds of ${seconds} s

| items | in flight | floor/s | check/s | ratio | goal | floor p50/p99 ms | check p50/p99 ms | statements/call |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`)
} finally {
  for (const child of children) child.kill()
  await embedded?.stop()
}

function row(
  items: number,
  inFlight: number,
  goal: number | undefined,
  { floor, daikon }: { floor: Result[]; daikon: Result[] },
  statements: number,
): string {
  const rates = [median(floor, 'rate'), median(daikon, 'rate')] as const
  const ratio = rates[1] / rates[0]
  const times = [floor, daikon].map(
    (results) => `${median(results, 'p50').toFixed(2)} / ${median(results, 'p99').toFixed(2)}`,
  )
  const verdict = goal === undefined ? '' : `${goal} ${ratio >= goal ? 'reached' : 'MISSED'}`
  const numbers = [items, inFlight, ...rates.map(Math.round), ratio.toFixed(2), verdict, ...times]
  return `| ${[...numbers, statements.toFixed(3)].join(' | ')} |`
}

function median(results: Result[], name: keyof Result): number {
  const sorted = results.map((result) => result[name]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

async function countStatements(child: ChildProcess): Promise<number> {
  child.send('count')
  const [{ statements }] = await once(child, 'message')
  return statements
}

async function startServer(file: string, ...args: string[]) {
  const child = start(file, ...args)
  const [{ port }] = await once(child, 'message')
  return { child, port: port as number }
}

function start(file: string, ...args: string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, file), args, {
    execArgv: ['--max-semi-space-size=4'],
  })
  children.push(child)
  return child
}
