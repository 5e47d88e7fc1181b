import test from 'ava'
import { runWithFaults } from '../support/agreement/run-with-faults.ts'

for (const hasStandbys of [false, true])
  test.serial(
    `nodes agree with the rows while servers fail, ${hasStandbys ? 'with' : 'without'} standbys`,
    async (t) => {
      t.timeout(900_000)
      await runWithFaults({ milliseconds: 20_000, hasStandbys, log: (line) => t.log(line) })
      t.pass()
    },
  )
