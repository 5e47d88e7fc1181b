import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'

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

withPromtool('a node whose metrics cannot be read causes an alert', (t) => {
  const series = {
    'up{job="daikon", instance="node-1:9464"}': '1x10',
    'up{job="daikon", instance="node-2:9464"}': '1x4 0x5',
    'up{job="other", instance="node-3:9464"}': '0x10',
  }
  expectAlerts(t, 'DaikonUnreachable', series, { '4m': [], '9m': ['node-2:9464'] })
})

withPromtool('rejections that persist cause an alert, and a few do not', (t) => {
  const calls = (code: string) => `daikon_calls_total{job="daikon", code="${code}"}`
  const rejecting = { [calls('ok')]: '0+90x30', [calls('resource_exhausted')]: '0+10x30' }
  expectAlerts(t, 'DaikonRejections', rejecting, { '5m': [], '20m': [''] })
  const few = { [calls('ok')]: '0+97x30', [calls('resource_exhausted')]: '0+3x30' }
  expectAlerts(t, 'DaikonRejections', few, { '20m': [] })
})
