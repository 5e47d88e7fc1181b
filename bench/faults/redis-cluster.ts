import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findFreePort } from '../../src/core/free-port.ts'

/** A cluster of three masters with one replica each. */
export type RedisCluster = {
  urls: string[]
  /** Kills the first master with SIGKILL, so that a replica takes over its slots. */
  killMaster(): Promise<void>
  stop(): Promise<void>
}

/** Milliseconds after which a node is considered failed. */
const nodeTimeout = 1000

/** Starts six Redis processes and joins them into a cluster. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const dir = mkdtempSync(join(tmpdir(), 'daikon-cluster-'))
  const ports = await Promise.all(Array.from({ length: 6 }, findFreePort))
  const children: ChildProcess[] = []
  for (const port of ports) {
    const bus = await findFreePort()
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', `${bus}`]
    const named = ['--cluster-config-file', join(dir, `${port}.conf`), '--dir', dir]
    const timeout = ['--cluster-node-timeout', `${nodeTimeout}`, '--repl-diskless-sync-delay', '0']
    const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '']
    const args = [...options, ...cluster, ...named, ...timeout]
    children.push(spawn('redis-server', args, { stdio: 'ignore' }))
  }
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', killAll)
  const cli = async (...args: string[]) => (await promisify(execFile)('redis-cli', args)).stdout
  const until = async (condition: () => Promise<boolean>) => {
    for (let tries = 0; !(await condition().catch(() => false)); tries += 1) {
      if (tries === 2400) throw new Error('The Redis cluster was not ready in time')
      await sleep(50)
    }
  }
  for (const port of ports)
    await until(async () => (await cli('-p', `${port}`, 'ping')).includes('PONG'))
  const addresses = ports.map((port) => `127.0.0.1:${port}`)
  await cli('--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes')
  for (const port of ports) {
    await until(async () => {
      const info = await cli('-p', `${port}`, 'cluster', 'info')
      const nodes = await cli('-p', `${port}`, 'cluster', 'nodes')
      // A replica that is not synchronized cannot take over.
      const synced = !(await cli('-p', `${port}`, 'info', 'replication')).includes(
        'link_status:down',
      )
      const replicas = nodes.match(/slave/g)?.length ?? 0
      return info.includes('cluster_state:ok') && replicas === 3 && synced
    })
  }
  return {
    urls: ports.map((port) => `redis://127.0.0.1:${port}`),
    async killMaster() {
      const [master] = children as [ChildProcess]
      master.kill('SIGKILL')
      await once(master, 'exit')
    },
    async stop() {
      process.off('exit', killAll)
      killAll()
      await Promise.all(
        children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')),
      )
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
