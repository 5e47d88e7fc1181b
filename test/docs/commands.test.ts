import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'
import { pages } from '../../tools/generate-docs.ts'
import { hasBrowser, openBrowserPage } from '../support/browser.ts'
import { startDevServer } from '../support/dev-server.ts'
import { buildWheel, hasPythonPackages, python } from '../support/python.ts'

const root = join(import.meta.dirname, '../..')
const shell = promisify(execFile)

/** The line that the script prints after each block. */
const separator = '--- end of block ---'

/** A block that a page marks as runnable, and its expected output if the page contains it. */
type Block = { script: string; output: string | undefined }

/**
 * Reads the blocks that follow `<!-- run -->`: `sh` unchanged, `js` as a module. A block after
 * `<!-- output -->` is the expected output of the previous block.
 */
function readBlocks(page: string): Block[] {
  const blocks: Block[] = []
  const pattern = /<!-- (run|output) -->\n```(\w+)\n([\s\S]*?)^```$/gm
  for (const [, kind, language, text = ''] of page.matchAll(pattern)) {
    const last = blocks.at(-1)
    if (kind === 'output' && last) last.output = text
    else if (language === 'js') blocks.push({ script: moduleScript(text), output: undefined })
    else blocks.push({ script: text, output: undefined })
  }
  return blocks
}

function moduleScript(text: string): string {
  return `node --input-type=module - <<'MODULE'\n${text}MODULE\n`
}

const goGet = 'go get github.com/daikon-auth/daikon/clients/go/'

/** Returns a message about a missing tool that the commands of a page require, if any. */
function findMissingTool(path: string): string | undefined {
  const isInstalled = (command: string) =>
    spawnSync('sh', ['-c', `command -v ${command}`]).status === 0
  if (path === 'docs/integrate-python.md' && !hasPythonPackages) return 'run clients/python/install'
  if (path === 'docs/integrate-go.md' && !isInstalled('go')) return 'Go is not installed'
  if (path === 'docs/other-languages.md' && !isInstalled('protoc')) return 'protoc is not installed'
  return undefined
}

test('the commands of every page work when pasted', async (t) => {
  process.env.RATE_LIMIT_PER_MINUTE = '1000'
  const { env, welcome, rest, grpc, app, metricsPort } = await startDevServer(t)
  const folder = await mkdtemp(join(tmpdir(), 'daikon-docs-'))
  const appPort = await findFreePort()
  t.teardown(() => rm(folder, { recursive: true }))

  const pipEnv = hasPythonPackages ? await buildWheel(join(folder, 'wheels')) : {}

  for (const path of pages) {
    const missing = findMissingTool(path)
    if (missing) {
      t.log(`${path} is skipped: ${missing}`)
      continue
    }
    const blocks = readBlocks(await readFile(join(root, path), 'utf8'))
    if (blocks.length === 0) continue
    const script = blocks.map((block) => `${block.script}\necho; echo "${separator}"\n`).join('')
    const pasted = script
      .replaceAll('http://localhost:8000', rest)
      .replaceAll('http://localhost:9101', app.replace(/\/$/, ''))
      .replaceAll('localhost:50051', `localhost:${grpc}`)
      .replaceAll('localhost:9464', `localhost:${metricsPort}`)
      .replaceAll('/tmp/', `${folder}/`)
      // The default deadline of two seconds can be too short on a busy machine.
      .replaceAll('createDaikon({', 'createDaikon({ deadlineMs: 60_000,')
      .replaceAll('service="docs", service_key=', 'timeout=60, service="docs", service_key=')
      .replaceAll(
        'daikon.WithService("docs"),',
        'daikon.WithService("docs"), daikon.WithTimeout(60e9),',
      )
      .replaceAll('npm install @daikon-auth/', `node ${root}/test/support/install-client.ts `)
      .replaceAll('http://localhost:5173', `http://localhost:${appPort}`)
      .replaceAll('.daikon/', `${env.DATA_DIR}/`)
      .replaceAll(goGet, `node ${root}/test/support/install-go-client.ts `)
      .replaceAll('python3 -m venv .venv', `${python} -m venv --without-pip .venv`)
      .replaceAll('.venv/bin/pip install', `${python} -m pip --python .venv/bin/python install`)
    const options = { cwd: root, env: { ...env, ...pipEnv, PORT: '0' }, maxBuffer: 2 ** 26 }
    const { stdout, stderr } = await shell('bash', ['-euc', pasted], options)
    t.false(stdout.includes('urn:daikon:problem'), `${path}: ${stdout}${stderr}`)
    const outputs = stdout.split(`\n${separator}\n`)
    for (const [index, { output }] of blocks.entries())
      if (output !== undefined) t.is(outputs[index]?.trim(), output.trim(), path)
  }

  if (hasBrowser) await trySignIn(t, join(folder, 'browser-app'), appPort)

  const [curl = ''] = /^TOKEN=.*?^curl.*?\n\n/ms.exec(welcome) ?? []
  const { stdout } = await shell('bash', ['-euc', curl], { cwd: root, env })
  const expected = { evaluations: [{ decision: true }, { decision: false }] }
  t.deepEqual(JSON.parse(stdout), expected, 'the curl line of the welcome message')
})

/** Signs in to the application of docs/browser-sign-in.md, as the page instructs. */
async function trySignIn(t: ExecutionContext, folder: string, port: number): Promise<void> {
  // The file that `npx vite` runs.
  const args = ['node_modules/vite/bin/vite.js', '--port', String(port), '--strictPort']
  const vite = spawn(process.execPath, args, { cwd: folder })
  const ended = once(vite, 'exit')
  t.teardown(async () => {
    vite.kill()
    await ended
  })
  await new Promise<void>((resolve) => {
    vite.stdout.on('data', (chunk) => `${chunk}`.includes('Local') && resolve())
  })
  const url = `http://localhost:${port}/`
  const page = await openBrowserPage(t)
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Google' }).click()
  await page.getByRole('button', { name: 'Bob' }).click()
  await page.getByText('Hello, Bob').waitFor()
  await page.getByRole('button', { name: 'Edit the roadmap' }).waitFor()
  const other = await page.context().newPage()
  await other.goto(url)
  await other.getByText('Hello, Bob').waitFor()
  const returned = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await other.getByText('Please sign in').waitFor()
  await returned
  await page.getByText('Please sign in').waitFor()
  t.is(page.url(), url)
}
