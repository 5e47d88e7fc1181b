import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../config.ts'
import { makeServiceKey } from '../identity/service-keys.ts'
import { createLog } from '../log.ts'
import { ConfigError } from '../setting.ts'
import { type Running, start } from '../start.ts'
import { demo, seedDemo } from './demo.ts'
import { makeDemoToken } from './token.ts'

/** `npm run dev`: everything on one machine, with a demo workspace and lines to paste. */
async function dev(): Promise<void> {
  const config = readConfig({ LOG_FORMAT: 'pretty', ...process.env })
  const log = createLog(config)
  const running = await start(config, log)
  const serviceKey = keepServiceKey(config.DATA_DIR)
  await seedDemo({ caller: {}, em: running.database.fork() }, serviceKey)
  const em = running.database.fork()
  const token = await makeDemoToken(em, config, 'bob@example.com', 'demo')
  process.stdout.write(welcome(running, token, serviceKey))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => running.stop())
}

/** The demo's service key, the same at each start. */
function keepServiceKey(dataDir: string): string {
  const path = join(dataDir, 'demo-service-key')
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(path, makeServiceKey(), { mode: 0o600 })
  }
  return readFileSync(path, 'utf8').trim()
}

function welcome({ grpcPort, httpPort }: Running, token: string, key: string): string {
  const { service_name, resource_type, documents } = demo
  const check = (resource_id: string, action: string) => ({
    ...{ service_name, resource_type, resource_id, action },
  })
  const checks = JSON.stringify({
    checks: [check(documents.roadmap, 'edit'), check(documents.salaries, 'view')],
  })
  return `
daikon is listening: REST http://localhost:${httpPort}, gRPC localhost:${grpcPort}

Bob may edit the roadmap, which is shared with his group, and not see the salaries.
Paste this into a shell:

TOKEN=${token}
KEY=${key}

curl -s http://localhost:${httpPort}/permissions/check \\
  -H "authorization: Bearer $TOKEN" -H "x-service-key: $KEY" \\
  -H "content-type: application/json" -d '${checks}'

grpcurl -plaintext -emit-defaults -H "authorization: Bearer $TOKEN" -H "x-service-key: $KEY" \\
  -d '${checks}' localhost:${grpcPort} daikon.v1.PermissionService/Check

The token holds for 15 minutes; another: npm run --silent daikon -- token --email bob@example.com
Ctrl-C stops everything.

`
}

dev().catch((error) => {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : (error?.stack ?? error)}\n`,
  )
  process.exitCode = error instanceof ConfigError ? 2 : 1
})
