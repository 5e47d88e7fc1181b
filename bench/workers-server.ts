import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findFreePort } from '../src/core/free-port.ts'
import { serveState } from './child-process.ts'
import { waitUntilReady } from './linearizability/nodes.ts'

/** The server as in production, with WORKERS processes. Their CPU time is not counted. */
const [url = '', privatePath = '', publicPath = '', workers = '2', maxFactsCacheBytes = ''] =
  process.argv.slice(2)
const [port, httpPort, metricsPort] = [
  await findFreePort(),
  await findFreePort(),
  await findFreePort(),
]
const main = join(import.meta.dirname, '../src/main.ts')
const server = spawn(process.execPath, [...process.execArgv, main], {
  env: {
    PATH: process.env.PATH,
    WORKERS: workers,
    DATABASE_URL: url,
    HTTP_HOST: '127.0.0.1',
    GRPC_HOST: '127.0.0.1',
    HTTP_PORT: String(httpPort),
    GRPC_PORT: String(port),
    METRICS_PORT: String(metricsPort),
    // The peers do not log calls either.
    LOG_LEVEL: 'warn',
    CONSOLE_ENABLED: 'false',
    JWT_PRIVATE_KEY_PATH: privatePath,
    JWT_PUBLIC_KEY_PATH: publicPath,
    DEBUG: 'false',
    SESSION_SECRET_KEY: 'a secret of the benchmark that is long',
    SERVICE_KEYS_REQUIRED: 'true',
    MAX_FACTS_CACHE_BYTES: maxFactsCacheBytes,
  },
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.once('exit', () => server.kill())
process.once('SIGTERM', () => process.exit())
server.once('exit', () => process.exit(1))
await waitUntilReady(metricsPort)
serveState({ port, httpPort })
