import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import { hasJavaClient, javaFolder } from '../support/java.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const example = join(javaFolder, '../../examples/documents-spring')
const testWithJava = hasJavaClient ? test.serial : test.serial.skip

// JUnit starts test/support/client-cases-server.ts on the database server of `npm test`.
testWithJava(
  'clients/java passes its tests, and has jars of classes, sources and Javadoc',
  async (t) => {
    t.timeout(600_000)
    const { status, stdout, stderr } = spawnSync('mvn', ['-o', '-q', '-B', 'test'], {
      cwd: javaFolder,
      encoding: 'utf8',
    })
    t.is(status, 0, `${stdout}${stderr}`)
    const reports = join(javaFolder, 'target/surefire-reports')
    for (const name of [
      'AgentsOnServerTest',
      'CasesOnFakeTest',
      'CasesOnServerTest',
      'ClientTest',
    ]) {
      const report = await readFile(
        join(reports, `TEST-io.github.daikonauth.client.${name}.xml`),
        'utf8',
      )
      t.regex(report, /<testsuite [^>]*skipped="0" failures="0"/, name)
    }
    const files = await readdir(join(javaFolder, 'target'))
    for (const kind of ['', '-sources', '-javadoc'])
      t.true(
        files.some((name) => new RegExp(`^daikon-client-[\\d.]+${kind}\\.jar$`).test(name)),
        kind,
      )
  },
)

testWithJava('examples/documents-spring responds with 200, 401, 403 and 503', async (t) => {
  t.timeout(600_000)
  const environment = await startTestEnvironment()
  let isRunning = true
  const stop = async () => {
    if (isRunning) await environment.stop()
    isRunning = false
  }
  t.teardown(stop)
  const { serviceKey, values } = await seedClientCases(environment, readClientCases())
  const url = await startExample(t, {
    DAIKON_ADDRESS: `127.0.0.1:${environment.grpcPort}`,
    DAIKON_SERVICE_KEY: serviceKey,
    DAIKON_TIMEOUT: '60s',
    PORT: '0',
  })
  const status = async (token: string | undefined, method = 'GET') => {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    const body = method === 'PUT' ? { body: '{"title":"Plan"}' } : {}
    return (await fetch(`${url}/documents/handbook`, { method, headers, ...body })).status
  }
  // The handbook is visible to the workspace, in which Bob is an editor and Heidi a viewer.
  t.is(await status(undefined), 401)
  t.is(await status('not a token'), 401)
  t.is(await status(values['bob.expired.token']), 401)
  t.is(await status(values['heidi.token']), 200)
  t.is(await status(values['heidi.token'], 'PUT'), 403)
  t.is(await status(values['bob.token'], 'PUT'), 200)
  t.is(await status(values['grace.token']), 403)
  const authorization = `Bearer ${values['bob.token']}`
  const response = await fetch(`${url}/documents/${'x'.repeat(256)}`, {
    headers: { authorization },
  })
  t.is(response.status, 422)
  t.like(await response.json(), {
    type: 'urn:daikon:problem:invalid-argument',
    title: 'Invalid request',
    reason: 'INVALID_REQUEST',
    errors: [{ field: 'resource.id' }],
  })
  await stop()
  t.is(await status(values['bob.token']), 503)
})

/** Starts the example. Returns its URL. */
async function startExample(t: ExecutionContext, env: Record<string, string>): Promise<string> {
  const child = spawn('java', ['-jar', join(example, 'target/documents.jar')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill()
    await ended
  })
  for await (const line of createInterface(child.stdout)) {
    const [, port] = /Tomcat started on port (\d+)/.exec(line) ?? []
    if (port) {
      child.stdout.resume()
      return `http://127.0.0.1:${port}`
    }
  }
  throw new Error('The example ended')
}
