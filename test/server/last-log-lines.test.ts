import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'ava'

const root = join(import.meta.dirname, '../..')

for (const format of ['json', 'pretty']) {
  test(`log lines and other output stay in order when the process exits, LOG_FORMAT=${format}`, async (t) => {
    // The only thread for asynchronous writes is busy.
    const program = `
      import { pbkdf2 } from 'node:crypto'
      import { createLogger } from './src/core/logger.ts'
      const log = createLogger('info', '${format}')
      pbkdf2('a', 'b', 300_000, 32, 'sha512', () => {})
      log.info('line 1')
      log.warn({ detail: 'x' }, 'line 2')
      process.stdout.write('line 3\\n')
      log.info('line 4')
      process.exit(0)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: root,
      env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
    t.deepEqual(output.match(/line \d/g), ['line 1', 'line 2', 'line 3', 'line 4'])
    t.is(output.split('\n').length, 5)
  })
}
