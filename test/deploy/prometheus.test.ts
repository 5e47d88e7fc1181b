import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase, type TestDatabase } from '../support/database.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const root = join(import.meta.dirname, '../..')
const program = process.env.PROMETHEUS ?? 'prometheus'
const withPrometheus = spawnSync(program, ['--version']).status === 0 ? test : test.skip

/** Sets the clock of the server 30 seconds ahead of the clock of PostgreSQL. */
const fastClock = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test/support/fast-clock.ts'))}`,
}

/** Panels without data unless users sign in, calls fail, or TLS is enabled. */
const mayBeEmpty = ['Sign-ins per minute', 'Certificate expires in', 'Rejected and failed calls']

/** Alerts that a busy machine causes. */
const causedByLoad = [
  'DaikonAdmissionQueue',
  'DaikonEventLoopLag',
  'DaikonPoolWaiting',
  'DaikonSlowChecks',
  'DaikonUnreachable',
]

type Query = { title: string; expression: string }

/** Returns the queries of the dashboard, with values for the variables of Grafana. */
function readDashboard(): Query[] {
  const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/daikon.json'), 'utf8'))
  return dashboard.panels.flatMap((panel: { title: string; targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(({ expr }) => ({
      title: panel.title,
      expression: expr.replaceAll('$job', 'daikon').replaceAll('$__rate_interval', '30s'),
    })),
  )
}

withPrometheus('Prometheus evaluates every query of the dashboard and every alert', async (t) => {
  const database = await cloneDatabase()
  t.teardown(database.drop)
  const folder = createKeyFolder(t)
  const server = await startServer(t, folder, {
    DATABASE_URL: database.url,
    // An unreachable standby.
    REPLICA_URLS: 'postgresql://127.0.0.1:1/daikon',
    ...fastClock,
  })
  const environment = await connectToServer(folder, server, database)
  const fixture = await createWorkspaceFixture(environment, environment.transports[0] as never)
  const record = await fixture.register(fixture.people.viewer)

  const data = mkdtempSync(join(tmpdir(), 'daikon-prometheus-'))
  t.teardown(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }))
  const port = await findFreePort()
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(root, 'deploy/prometheus/alerts.yaml')],
    scrape_configs: [
      { job_name: 'daikon', static_configs: [{ targets: [`127.0.0.1:${server.metricsPort}`] }] },
    ],
  }
  writeFileSync(join(data, 'prometheus.yml'), JSON.stringify(configuration))
  const prometheus = spawn(program, [
    `--config.file=${join(data, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(data, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ])
  t.teardown(() => prometheus.kill('SIGKILL'))
  type Rule = { name: string; health: string; state: string }
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined)
    const isStarting = response?.status === 503
    return (isStarting ? undefined : response?.json()) as Promise<{
      status: string
      error?: string
      data: { result: unknown[]; groups: { rules: Rule[] }[] }
    }>
  }
  const query = (expression: string) => get(`query?query=${encodeURIComponent(expression)}`)
  const hasSamples = async () => {
    const calls = 'count_over_time(daikon_decisions_total{result="allowed"}[1m]) > 2'
    return ((await query(calls))?.data?.result.length ?? 0) > 0
  }
  const readRules = async () =>
    (await get('rules'))?.data.groups.flatMap((group) => group.rules) ?? []
  const deadline = performance.now() + 300_000
  const callMore = async () => {
    // On a busy machine, the database responds too late at times.
    await fixture.isAllowed(fixture.people.viewer, 'view', record).catch(() => {})
    await sleep(200)
  }
  while (!(await hasSamples()) && performance.now() < deadline) await callMore()

  for (const { title, expression } of readDashboard()) {
    let { status, error, data } = await query(expression)
    const lacksData = () => !mayBeEmpty.includes(title) && data?.result.length === 0
    // On a busy machine, Prometheus misses samples.
    while (lacksData() && performance.now() < deadline) {
      await callMore()
      ;({ status, error, data } = await query(expression))
    }
    t.is(status, 'success', `${expression}: ${error}`)
    t.false(lacksData(), `${expression} has no data`)
  }
  const rules = await readRules()
  t.true(rules.length >= 14)
  for (const { name, health } of rules) t.is(health, 'ok', name)

  // A healthy server causes no alerts other than those that this test provokes, and those of a busy machine.
  const readActive = async () =>
    (await readRules())
      .filter(({ name, state }) => state !== 'inactive' && !causedByLoad.includes(name))
      .map(({ name }) => name)
  const waitForAlerts = async (expected: string[]) => {
    let active = await readActive()
    while (!isDeepStrictEqual(active, expected) && performance.now() < deadline) {
      await sleep(200)
      active = await readActive()
    }
    t.deepEqual(active, expected)
  }
  await waitForAlerts(['DaikonReplicaNotRead', 'DaikonClockSkew'])
  const refresh_token = await createUsedRefreshToken(environment, database)
  const [transport] = environment.transports
  t.like(await transport?.call('RefreshToken', { refresh_token }), {
    reason: 'REFRESH_TOKEN_REFUSED',
  })
  await waitForAlerts(['DaikonReplicaNotRead', 'DaikonClockSkew', 'DaikonTokenReplayed'])
  for (const transport of environment.transports) transport.close()
})

/** Inserts a session whose refresh token has been used. */
async function createUsedRefreshToken(
  { seed, tokens }: Awaited<ReturnType<typeof connectToServer>>,
  { pool }: TestDatabase,
): Promise<string> {
  const workspaceId = await seed.workspace()
  const userId = await seed.newMember(workspaceId)
  const [familyId, tokenId] = [randomUUID(), randomUUID()]
  await pool.query(
    `insert into refresh_families
       (id, user_id, workspace_id, provider, user_agent, created_at, last_used_at, expires_at)
     values ($1, $2, $3, 'google', '', now(), now(), now() + interval '1 day')`,
    [familyId, userId, workspaceId],
  )
  await pool.query(
    `insert into refresh_tokens
       (token_id, family_id, access_token_id, access_expires_at, consumed_at)
     values ($1, $2, $3, now(), now())`,
    [tokenId, familyId, randomUUID()],
  )
  return tokens.sign('refresh', { sub: userId, jti: tokenId, wid: workspaceId }, 3600)
}
