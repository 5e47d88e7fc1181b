import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { cpuTimeOf, findPostmaster } from './cpu-time.ts'

/**
 * `node bench/bulk-import.ts [<rounds>]`: `daikon resources import` of 10,000 resources and `daikon
 * shares import` of 10,000 shares, on the embedded database, into data that grows with each round.
 * Reports elapsed time, and CPU time of the command and of PostgreSQL.
 */
const rounds = Number(process.argv[2] ?? 3)
const [people, workspaces, count] = [2000, 5, 10_000]
const root = join(import.meta.dirname, '..')
const folder = await mkdtemp(join(tmpdir(), 'daikon-bulk-import-'))
const embedded = await startEmbedded({ dataDir: folder })
try {
  await runCommand('migrate')
  await runCommand('service-app', 'create', '--name', 'Docs', '--service', 'docs')
  const postmaster = await findPostmaster(embedded.url)
  const members = lines(people, (n) => {
    const role = n < workspaces ? 'owner' : 'viewer'
    return `person-${n}@example.com,acme-${n % workspaces},Person ${n},${role},hr-${n}`
  })
  const peopleFile = await write(
    'people.csv',
    'email,workspace_slug,name,role,external_id',
    members,
  )
  await runCommand('import', peopleFile, '--create-workspaces')
  for (let round = 0; round < rounds; round += 1) {
    const resources = lines(count, (n) => {
      const owner = n % people
      return `docs,document,doc-${round}-${n},acme-${owner % workspaces},hr-${owner}`
    })
    const shares = lines(count, (n) => {
      const grantee = (n + workspaces) % people
      return `docs,document,doc-${round}-${n},person-${grantee}@example.com,edit`
    })
    const columns = 'service_name,resource_type,external_id'
    const files = {
      resources: await write(
        'resources.csv',
        `${columns},workspace_slug,owner_external_id`,
        resources,
      ),
      shares: await write('shares.csv', `${columns},grantee_email,permission`, shares),
    }
    for (const [kind, file] of Object.entries(files)) {
      const before = cpuTimeOf(postmaster)
      const { seconds, cpu } = await runCommand(kind, 'import', file)
      const postgres = (cpuTimeOf(postmaster) - before) / 1e6
      process.stdout.write(
        `round ${round + 1}: ${count} ${kind} in ${seconds.toFixed(2)} s, CPU ${cpu.toFixed(2)} s of the command, ${postgres.toFixed(2)} s of PostgreSQL\n`,
      )
    }
  }
} finally {
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}

function lines(length: number, line: (n: number) => string): string[] {
  return Array.from({ length }, (_, n) => line(n))
}

async function write(name: string, header: string, rows: string[]): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, `${[header, ...rows].join('\n')}\n`)
  return file
}

/** Runs the command with these arguments. Returns the seconds of time and of CPU that it took. */
async function runCommand(...args: string[]): Promise<{ seconds: number; cpu: number }> {
  const cpuBefore = await cpuOfExitedChildren()
  const started = performance.now()
  const child = spawn(process.execPath, ['src/daikon.ts', ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: embedded.url, DEBUG: 'true' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`daikon ${args.join(' ')} exited with status ${code}`)
  const seconds = (performance.now() - started) / 1000
  return { seconds, cpu: (await cpuOfExitedChildren()) - cpuBefore }
}

/** Returns the CPU time in seconds of the commands that this process has run. */
async function cpuOfExitedChildren(): Promise<number> {
  const text = await readFile('/proc/self/stat', 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}
