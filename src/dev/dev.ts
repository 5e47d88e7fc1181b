import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDemoToken } from '../cli/token.ts'
import { ConfigError, readConfig } from '../config/config.ts'
import { createLogger } from '../core/logger.ts'
import { providerNames } from '../identity/providers/provider.ts'
import { createSecret } from '../identity/secret.ts'
import { createServiceKey } from '../identity/service-keys.ts'
import { type RunningServer, start } from '../server/start.ts'
import { startDemoAdmin } from './demo-admin.ts'
import { startDemoApp } from './demo-app.ts'
import { demo, seedDemo } from './demo-data.ts'
import { startLocalProvider } from './mock-provider.ts'

/**
 * `npm run dev`: everything on one machine. A provider of our own stands in for the three, and a demo
 * application signs people in and asks what they may do.
 */
async function dev(): Promise<void> {
  const baseUrl = process.env.BASE_URL || `http://localhost:${process.env.HTTP_PORT || 8000}`
  const provider = await startStandIn(baseUrl)
  const adminPage = await startDemoAdmin(baseUrl)
  const config = readConfig({
    ...{ BASE_URL: baseUrl, ADMIN_URL: adminPage.url, ADMIN_EMAILS: 'alice@example.com' },
    ...{ LOG_FORMAT: 'pretty', ...provider.environment, ...process.env },
  })
  const running = await start(config, createLogger(config.LOG_LEVEL, config.LOG_FORMAT))
  const serviceKey = keepServiceKey(config.DATA_DIR)
  const app = await startDemoApp({ daikonUrl: baseUrl, serviceKey })
  const em = await running.database.fork()
  await seedDemo({ principal: {}, em }, serviceKey, `${app.url}/callback`)
  const token = await makeDemoToken(em, config, 'bob@example.com', 'demo')
  process.stdout.write(welcome(running, app.url, token, serviceKey))

  const stop = async () => {
    await Promise.all([app.close(), adminPage.close(), provider.close(), running.stop()])
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
}

/** The local provider, and what the environment has to say for it where nothing else is set up. */
async function startStandIn(baseUrl: string) {
  const redirectUris = ['', 'admin/'].flatMap((flow) =>
    providerNames.map((name) => `${baseUrl}/auth/${flow}callback/${name}`),
  )
  const people = ['Alice', 'Bob', 'Carol'].map((name) => {
    return { name, email: `${name.toLowerCase()}@example.com` }
  })
  const client = { id: 'daikon', secret: createSecret(), redirectUris }
  const { environment, close } = await startLocalProvider({ people, client })
  const standIns = Object.entries(environment).filter(([name]) => {
    // A provider that is set up for real is used as it is.
    return !process.env[`${name.split('_')[0]}_CLIENT_ID`]
  })
  return { environment: Object.fromEntries(standIns), close }
}

/** The demo's service key, the same at each start. */
function keepServiceKey(dataDir: string): string {
  const path = join(dataDir, 'demo-service-key')
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(path, createServiceKey(), { mode: 0o600 })
  }
  return readFileSync(path, 'utf8').trim()
}

function welcome(
  { grpcPort, httpPort }: RunningServer,
  appUrl: string,
  token: string,
  key: string,
): string {
  const { service_name, resource_type, documents } = demo
  const check = (resource_id: string, action: string) => ({
    ...{ service_name, resource_type, resource_id, action },
  })
  const checks = JSON.stringify({
    checks: [check(documents.roadmap, 'edit'), check(documents.salaries, 'view')],
  })
  return `
daikon is listening: REST http://localhost:${httpPort}, gRPC localhost:${grpcPort}

Sign in with a browser: ${appUrl}
As administrator, which Alice is: http://localhost:${httpPort}/auth/admin/login/google

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
  process.exit(error instanceof ConfigError ? 2 : 1)
})
