import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import test, { registerCompletionHandler } from 'ava'
import { readProcessorTime } from '../../tools/processor-time.ts'

// Records the processor time of a test file for the summary of `npm test`. A file is a thread, and its processes are not
// counted; with `--no-worker-threads` it is a process, and those that it has started and that have ended are.
const path = process.env.PROCESSOR_TIMES
if (path !== undefined)
  registerCompletionHandler(() => {
    const line = { file: test.meta.file, seconds: readSeconds() }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  })

function readSeconds(): number {
  if (!isMainThread) {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1e6
  }
  const { own, ended } = readProcessorTime()
  return own + ended
}
