import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../src/core/free-port.ts'

/** For a busy machine, on which Redis answers late. Milliseconds. */
export const longTimeouts = {
  connectTimeout: 60_000,
  commandTimeout: 60_000,
  socketTimeout: 60_000,
}

/** Whether redis-server is installed. */
export const isRedisInstalled = spawnSync('redis-server', ['--version']).status === 0

/** A Redis server that a test can suspend, kill and restart on the same port. */
export type RedisServer = {
  readonly url: string
  start(): Promise<void>
  hang(): void
  resume(): void
  stop(): Promise<void>
}

/** Starts Redis on a free port. With `cluster`, starts a cluster of one node with every slot. */
export async function startRedis({ cluster = false } = {}): Promise<RedisServer> {
  const port = await findFreePort()
  const bus = cluster
    ? `--cluster-enabled yes --cluster-announce-ip 127.0.0.1 --cluster-port ${await findFreePort()}`
    : ''
  let child: ChildProcess | undefined
  let dir = ''

  const start = async () => {
    dir = mkdtempSync(join(tmpdir(), 'daikon-redis-'))
    const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, '--save', '']
    child = spawn(
      'redis-server',
      [...options, '--appendonly', 'no', ...bus.split(' ').filter(Boolean)],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    await new Promise<void>((resolve, reject) => {
      child?.stdout?.on('data', (text) => {
        if (`${text}`.includes('Ready to accept connections')) resolve()
      })
      child?.once('exit', (code) => reject(new Error(`redis-server exited with status ${code}`)))
    })
    if (cluster) await assignSlots(port)
  }
  const kill = () => {
    child?.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
  process.once('exit', kill)

  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    hang: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    async stop() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      kill()
      await exit
    },
  }
}

async function assignSlots(port: number) {
  const cli = (...args: string[]) =>
    spawnSync('redis-cli', ['-p', `${port}`, 'cluster', ...args], { encoding: 'utf8' }).stdout
  cli('addslotsrange', '0', '16383')
  for (let tries = 0; !cli('info').includes('cluster_state:ok'); tries++) {
    if (tries === 1000) throw new Error('The Redis cluster is not ready after 50 seconds')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
