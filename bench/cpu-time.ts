import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** Milliseconds of CPU time per clock tick of the kernel. */
const msPerTick = 10

type Process = { parent: number; ticks: number }

/** Returns the CPU time of a process and all its descendants in microseconds. Requires Linux. */
export function cpuTimeOf(root: number): number {
  const processes = new Map<number, Process>()
  for (const name of readdirSync('/proc')) {
    const process = /^\d+$/.test(name) ? readProcess(name) : undefined
    if (process) processes.set(Number(name), process)
  }
  const isWithin = (pid: number): boolean => {
    if (pid === root) return true
    const parent = processes.get(pid)?.parent
    return parent !== undefined && parent > 1 && isWithin(parent)
  }
  let ticks = 0
  for (const [pid, process] of processes) if (isWithin(pid)) ticks += process.ticks
  return ticks * msPerTick * 1000
}

/** Reads a process. Its CPU time includes the CPU time of its children that have exited. */
function readProcess(pid: string): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { parent: Number(fields[1]), ticks }
  } catch {
    // The process has exited.
    return undefined
  }
}

/** Returns the process id of a PostgreSQL server on this machine. */
export async function findPostmaster(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const backend = readProcess(String(rows[0].pid))
    if (!backend) throw new Error('PostgreSQL must run on this machine')
    return backend.parent
  } finally {
    await client.end()
  }
}
