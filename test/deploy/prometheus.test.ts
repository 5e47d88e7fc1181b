import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const root = join(import.meta.dirname, '../..')
const program = process.env.PROMETHEUS ?? 'prometheus'
const withPrometheus = spawnSync(program, ['--version']).status === 0 ? test : test.skip

type Query = { title: string; expression: string }

/** The queries of the dashboard, with values for the variables of Grafana. */
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
  const server = await startServer(t, folder, { DATABASE_URL: database.url })
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
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined)
    return response?.json() as Promise<{
      status: string
      error?: string
      data: { result: unknown[]; groups: { rules: { name: string; health: string }[] }[] }
    }>
  }
  const query = (expression: string) => get(`query?query=${encodeURIComponent(expression)}`)
  const hasSamples = async () => {
    const calls = 'count_over_time(daikon_decisions_total{result="allowed"}[1m]) > 2'
    return ((await query(calls))?.data?.result.length ?? 0) > 0
  }
  const deadline = performance.now() + 120_000
  while (!(await hasSamples()) && performance.now() < deadline) {
    await fixture.isAllowed(fixture.people.viewer, 'view', record)
    await sleep(200)
  }

  for (const { title, expression } of readDashboard()) {
    const { status, error, data } = await query(expression)
    t.is(status, 'success', `${expression}: ${error}`)
    // No person has signed in.
    if (!title.startsWith('Sign-ins')) t.true(data.result.length > 0, `${expression} has no data`)
  }
  const { data: rules } = await get('rules')
  const states = rules.groups.flatMap((group) => group.rules)
  t.true(states.length >= 11)
  for (const { name, health } of states) t.is(health, 'ok', name)
  for (const transport of environment.transports) transport.close()
})
