import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { parse } from 'yaml'

const rules = join(import.meta.dirname, '../../deploy/prometheus/alerts.yaml')
const withPromtool = spawnSync('promtool', ['--version']).status === 0 ? test : test.skip

/** Series by their values, in the notation of promtool, one value a minute. */
type Series = Record<string, string>

/** Verifies which instances of an alert fire after some minutes. */
function expectAlerts(
  t: ExecutionContext,
  alertname: string,
  series: Series,
  expected: Record<string, string[]>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-alerts-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'alerts.json')
  const cases = Object.entries(expected).flatMap(([time, instances]) => ({
    input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
    interval: '1m',
    promql_expr_test: [
      {
        expr: `count by (alertname, instance) (ALERTS{alertname="${alertname}", alertstate="firing"})`,
        eval_time: time,
        exp_samples: instances.map((instance) => ({
          labels: `{alertname="${alertname}"${instance && `, instance="${instance}"`}}`,
          value: 1,
        })),
      },
    ],
  }))
  writeFileSync(
    file,
    JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: cases }),
  )
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file])
  t.is(status, 0, `${stdout}${stderr}`)
}

const node = 'job="daikon", instance="node-1:9464"'
const calls = (code: string) => `daikon_calls_total{${node}, code="${code}"}`
const checks = (le: string) =>
  `daikon_call_duration_seconds_bucket{${node}, method="daikon.v1.PermissionService/Check", le="${le}"}`
const wrongCodes =
  'daikon_sign_ins_total{job="daikon", instance="node-1:9464", provider="email", flow="user", outcome="wrong_code"}'
const replays = (secret: string) => `daikon_replays_total{${node}, secret="${secret}"}`

/** Which instances fire at which times. An alert about all nodes names none. */
type Scene = { series: Series; expected: Record<string, string[]> }

const one = ['node-1:9464']
const all = ['']

/** What makes each alert fire, and what does not yet. */
const scenes: Record<string, Scene[]> = {
  DaikonNotReady: [
    {
      series: { [`daikon_ready{${node}}`]: '1x4 0x9', [`daikon_draining{${node}}`]: '0x13' },
      expected: { '5m': [], '7m': one },
    },
    {
      series: { [`daikon_ready{${node}}`]: '1x4 0x9', [`daikon_draining{${node}}`]: '0x4 1x9' },
      expected: { '9m': [] },
    },
  ],
  DaikonUnreachable: [
    {
      series: {
        'up{job="daikon", instance="node-1:9464"}': '1x4 0x5',
        'up{job="daikon", instance="node-2:9464"}': '1x10',
        'up{job="other", instance="node-3:9464"}': '0x10',
      },
      expected: { '4m': [], '9m': one },
    },
  ],
  DaikonErrors: [
    {
      series: { [calls('ok')]: '0+95x30', [calls('internal')]: '0+5x30' },
      expected: { '3m': [], '12m': all },
    },
    {
      series: { [calls('ok')]: '0+95x30', [calls('unavailable')]: '0+5x30' },
      expected: { '12m': all },
    },
    {
      series: { [calls('ok')]: '0+995x30', [calls('unavailable')]: '0+5x30' },
      expected: { '20m': [] },
    },
  ],
  DaikonRejections: [
    {
      series: { [calls('ok')]: '0+90x30', [calls('resource_exhausted')]: '0+10x30' },
      expected: { '5m': [], '20m': all },
    },
    {
      series: { [calls('ok')]: '0+97x30', [calls('resource_exhausted')]: '0+3x30' },
      expected: { '20m': [] },
    },
  ],
  DaikonSlowChecks: [
    {
      series: {
        [checks('0.1')]: '0+90x30',
        [checks('1')]: '0+100x30',
        [checks('+Inf')]: '0+100x30',
      },
      expected: { '8m': [], '20m': all },
    },
    {
      series: {
        [checks('0.1')]: '0+100x30',
        [checks('1')]: '0+100x30',
        [checks('+Inf')]: '0+100x30',
      },
      expected: { '20m': [] },
    },
  ],
  DaikonPoolWaiting: [
    {
      series: { [`daikon_pool_waiting{${node}}`]: '0x4 3x20' },
      expected: { '8m': [], '12m': one },
    },
  ],
  DaikonRedisFallback: [
    {
      series: { [`daikon_redis_fallback{${node}}`]: '0x4 1x9 0x5' },
      expected: { '8m': [], '12m': one, '16m': [] },
    },
  ],
  DaikonReplicaNotRead: [
    {
      series: {
        [`daikon_replica_status{${node}, replica="0", status="ok"}`]: '1x4 0x20',
        [`daikon_replica_status{${node}, replica="0", status="lagging"}`]: '0x4 1x20',
        [`daikon_replica_status{${node}, replica="0", status="primary"}`]: '0x24',
      },
      expected: { '8m': [], '12m': one },
    },
  ],
  DaikonClockSkew: [
    {
      series: { [`daikon_clock_offset_seconds{${node}}`]: '0.1x4 -1.5x20' },
      expected: { '8m': [], '12m': one },
    },
  ],
  DaikonTokenReplayed: [
    {
      series: { [replays('refresh_token')]: '0x4 1x90' },
      expected: { '3m': [], '6m': all, '80m': [] },
    },
    { series: { [replays('sign_in_state')]: '0x4 1x90' }, expected: { '6m': [] } },
  ],
  DaikonReplays: [
    { series: { [replays('sign_in_state')]: '0x4 0+10x9' }, expected: { '5m': [], '10m': all } },
  ],
  DaikonWrongCodes: [
    { series: { [wrongCodes]: '0+250x20' }, expected: { '10m': all } },
    { series: { [wrongCodes]: '0+150x20' }, expected: { '10m': [] } },
  ],
  DaikonDevelopmentMode: [
    {
      series: { [`daikon_development_mode{${node}}`]: '0x4 1x5' },
      expected: { '4m': [], '6m': one },
    },
  ],
  DaikonAdmissionQueue: [
    {
      series: { [`daikon_admission_queued{${node}, class="default"}`]: '0x4 2x20' },
      expected: { '8m': [], '12m': one },
    },
  ],
  DaikonEventLoopLag: [
    {
      series: { [`nodejs_eventloop_lag_p99_seconds{${node}}`]: '0.01x4 0.5x20' },
      expected: { '12m': [], '17m': one },
    },
  ],
  DaikonWorkerReplaced: [
    {
      series: {
        [`daikon_worker_replacements_total{${node}, reason="exited"}`]: '0x4 1x30',
        [`daikon_worker_replacements_total{${node}, reason="unresponsive"}`]: '0x34',
      },
      expected: { '4m': [], '6m': one, '25m': [] },
    },
  ],
  DaikonCertificateExpires: [
    {
      // Two weeks and an hour after 1970, where the clock of promtool begins.
      series: {
        [`daikon_certificate_expiry_timestamp_seconds{${node}, certificate="grpc"}`]: '1213200x200',
      },
      expected: { '90m': [], '130m': one },
    },
  ],
  DaikonSigningKeyOld: [
    {
      // The key was created a year less half an hour before 1970.
      series: { [`daikon_signing_key_created_timestamp_seconds{${node}}`]: '-31534200x200' },
      expected: { '80m': [], '100m': one },
    },
  ],
  DaikonReloadFailing: [
    {
      series: { [`daikon_reload_failing{${node}, files="keys"}`]: '0x4 1x20' },
      expected: { '8m': [], '12m': one },
    },
  ],
}

test('each alert has a scene that makes it fire', (t) => {
  const { groups } = parse(readFileSync(rules, 'utf8')) as { groups: { rules: Rule[] }[] }
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
  t.deepEqual(Object.keys(scenes).toSorted(), alerts.toSorted())
  for (const [alert, [first]] of Object.entries(scenes))
    t.true(
      Object.values(first?.expected ?? {}).some(({ length }) => length > 0),
      alert,
    )
})

type Rule = { alert: string }

for (const [alert, list] of Object.entries(scenes))
  withPromtool(`${alert} fires when it should, and not before`, (t) => {
    for (const { series, expected } of list) expectAlerts(t, alert, series, expected)
  })
