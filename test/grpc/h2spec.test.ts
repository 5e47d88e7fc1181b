import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { startTestEnvironment } from '../support/test-environment.ts'

// h2spec (github.com/summerwind/h2spec) tests the conformance of HTTP/2 servers. It is not an npm
// package, so the test is skipped where it is not installed.
const program = process.env.H2SPEC ?? 'h2spec'
const isInstalled = spawnSync(program, ['--version']).status === 0

if (isInstalled) {
  test('h2spec fails only in the cases that docs/resilience.md lists', async (t) => {
    const environment = await startTestEnvironment()
    const folder = mkdtempSync(join(tmpdir(), 'h2spec-'))
    t.teardown(async () => {
      rmSync(folder, { recursive: true })
      await environment.stop()
    })
    const report = join(folder, 'report.xml')
    const port = String(environment.grpcPort)
    const run = async (sections: string[]) => {
      const options = ['--host', '127.0.0.1', '--port', port, '--timeout', '4']
      const args = [...options, '--junit-report', report, ...sections]
      await new Promise((resolve) => execFile(program, args, resolve))
      return readFailures(readFileSync(report, 'utf8'))
    }
    const docs = readFileSync(new URL('../../docs/resilience.md', import.meta.url), 'utf8')
    const isUnlisted = (failure: string) => !docs.includes(`- ${failure}`)
    let failures = (await run([])).filter(isUnlisted)
    // Some cases depend on time, so on a busy machine their sections are repeated.
    for (let attempt = 0; attempt < 3 && failures.length > 0; attempt += 1) {
      const sections = new Set(failures.map((failure) => failure.split(':')[0] ?? ''))
      const repeated = await run([...sections])
      failures = failures.filter((failure) => repeated.includes(failure))
    }
    t.deepEqual(failures, [])
  })
} else {
  test('skipped: h2spec is not installed', (t) => t.pass())
}

/** Returns the failed cases as `<section>: <case>`. */
function readFailures(xml: string): string[] {
  const cases = xml.matchAll(
    /<testcase package="(.*?)" classname="(.*?)"[^>]*>\s*<(failure|error)>/g,
  )
  return [...cases].map(([, section, title]) => `${section}: ${title}`)
}
