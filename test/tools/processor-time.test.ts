import { spawnSync } from 'node:child_process'
import test from 'ava'
import { readProcessorTime } from '../../tools/processor-time.ts'

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('the processor time of processes that have ended counts', (t) => {
  const before = readProcessorTime()
  const script = 'while (process.cpuUsage().user < 300_000);'
  t.is(spawnSync(process.execPath, ['-e', script]).status, 0)
  const after = readProcessorTime()
  t.true(after.ended - before.ended >= 0.29, `${after.ended - before.ended} s`)
  t.true(after.own > before.own)
})
