import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../src/core/free-port.ts'

const nobodyId = 65534

/** Returns the folder of the installed PostgreSQL programs, if they include `pg_dump`. */
export function findInstalledPostgres(): string | undefined {
  try {
    const folder = execFileSync('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin/initdb | tail -n 1'])
    execFileSync('pg_dump', ['--version'])
    return join(folder.toString().trim(), '..')
  } catch {
    return undefined
  }
}

/** Starts the PostgreSQL installed on this machine, which `pg_dump` supports, with empty data. */
export async function startInstalledPostgres(programs: string) {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-postgres-'))
  const isRoot = userInfo().uid === 0
  if (isRoot) chownSync(folder, nobodyId, nobodyId)
  const owner = isRoot ? { uid: nobodyId, gid: nobodyId } : {}
  const options = { ...owner, cwd: folder, stdio: 'ignore' } as const
  const cluster = join(folder, 'cluster')
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(programs, program), ['-D', cluster, ...args], options)
  run('initdb', '--username=daikon', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8')
  const port = await findFreePort()
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
  run('pg_ctl', 'start', '-w', '-l', join(folder, 'log'), '-o', settings)
  return {
    url: (database: string) => `postgresql://daikon:unused@127.0.0.1:${port}/${database}`,
    stop() {
      run('pg_ctl', 'stop', '-w', '-m', 'immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
