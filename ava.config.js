import { compareTests } from './tools/test-files.ts'

// Sessions of tests must not be taken for a node of an older version (src/database/rollout-store.ts).
process.env.PGAPPNAME = 'pg_tests'

// biome-ignore lint/style/noDefaultExport: Ava requires it.
export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  require: ['./test/support/exit-after-tests.ts', './test/support/processor-time.ts'],
  sortTestFiles: compareTests,
  // Also on two cores: files that wait for a limit, a failover or a browser leave them idle.
  concurrency: 4,
  timeout: '10m',
}
