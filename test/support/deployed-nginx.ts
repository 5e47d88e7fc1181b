import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../src/core/free-port.ts'
import { waitUntil } from './wait-until.ts'

const command = process.env.NGINX ?? 'nginx'

/** Whether nginx is installed. */
export const isNginxInstalled = spawnSync(command, ['-v']).status === 0

/** nginx with `deploy/nginx.conf`, in front of two nodes. */
export type DeployedNginx = {
  httpPort: number
  grpcPort: number
  /** Returns the text of the error log. */
  errors(): string
  stop(): Promise<void>
}

/** Starts nginx with `deploy/nginx.conf`, changing only addresses, paths and limits per address. */
export async function startDeployedNginx(
  nodes: { httpPort: number; grpcPort: number }[],
): Promise<DeployedNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-nginx-'))
  // Workers run as another user.
  chmodSync(folder, 0o755)
  const ports = {
    http: await findFreePort(),
    console: await findFreePort(),
    grpc: await findFreePort(),
  }
  let text = readFileSync(join(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8')
    .replace(/^worker_processes .*/m, 'worker_processes 2;')
    .replace(/^worker_rlimit_nofile .*/m, '')
    .replace(/rate=\d+r\/s/, 'rate=1000000r/s')
    .replace(/limit_conn connections \d+/g, 'limit_conn connections 10000')
    .replaceAll('/var/log/nginx', folder)
    .replaceAll('listen 8000;', `listen 127.0.0.1:${ports.http};`)
    .replaceAll('listen 9004;', `listen 127.0.0.1:${ports.console};`)
    .replaceAll('listen 50051 ', `listen 127.0.0.1:${ports.grpc} `)
    .replace(/^ {4}8000 rest;$/m, `    ${ports.http} rest;`)
    .replace(/^http \{$/m, `http {\n${listTemporaryPaths(folder)}`)
  for (const [index, { httpPort, grpcPort }] of nodes.entries()) {
    const name = `daikon-${index + 1}`
    text = text
      .replaceAll(`${name}:8000`, `127.0.0.1:${httpPort}`)
      .replaceAll(`${name}:9004`, `127.0.0.1:${httpPort}`)
      .replaceAll(`${name}:50051`, `127.0.0.1:${grpcPort}`)
  }
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, text)
  const log = join(folder, 'error.log')
  const options = `daemon off; pid ${folder}/nginx.pid;`
  const child = spawn(command, ['-p', folder, '-c', config, '-e', log, '-g', options], {
    stdio: 'inherit',
  })
  const exited = once(child, 'exit')
  const errors = () => readFileSync(log, 'utf8')
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`nginx exited: ${errors()}`)
    return await fetch(`http://127.0.0.1:${ports.http}/health`).then(
      () => true,
      () => false,
    )
  })
  return {
    httpPort: ports.http,
    grpcPort: ports.grpc,
    errors,
    async stop() {
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Debian's defaults are folders that only root may write. */
function listTemporaryPaths(folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return kinds.map((kind) => `  ${kind}_temp_path ${folder}/${kind};`).join('\n')
}
