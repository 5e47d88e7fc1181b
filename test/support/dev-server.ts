import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ExecutionContext } from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Runs `npm run dev` in a temporary folder until it prints a welcome, and stops it after the test.
 */
export async function startDevServer(
  t: ExecutionContext,
  environment: Record<string, string> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-dev-'))
  const port = await findFreePort()
  const metricsPort = await findFreePort()
  const env = {
    ...process.env,
    DATA_DIR: join(folder, 'data'),
    JWT_PRIVATE_KEY_PATH: join(folder, 'private.pem'),
    JWT_PUBLIC_KEY_PATH: join(folder, 'public.pem'),
    HTTP_PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    GRPC_PORT: '0',
    METRICS_PORT: String(metricsPort),
    DEMO_PORT: '0',
    DOCS_PORT: '0',
    CONSOLE_PORT: '0',
    ...environment,
  }
  const server = spawn('npm', ['run', 'dev'], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // The server keeps its output open until PostgreSQL has stopped.
  const ended = once(server, 'close')
  t.teardown(async () => {
    // As Ctrl-C does. npm would forward SIGTERM, and the second signal would end the server at once.
    if (server.exitCode === null) process.kill(-(server.pid as number), 'SIGINT')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  const welcome = await readUntil(server.stdout, /Ctrl-C/)
  const [, rest, grpc] = /REST API +(\S+).*?gRPC +localhost:(\d+)/s.exec(welcome) ?? []
  const [, app] = /Demo application +(\S+)/.exec(welcome) ?? []
  return { env, root, welcome, rest: rest ?? '', grpc: grpc ?? '', app: app ?? '', metricsPort }
}

/** Continues to read after the match, because a full pipe would block the server's shutdown. */
function readUntil(stream: Readable, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (pattern.test(text)) resolve(text)
    })
    stream.on('end', () => reject(new Error(`The output ended without ${pattern}: ${text}`)))
  })
}
