// Runs the application of docs/integrate-nextjs.md. Route handlers are functions of web standard
// requests, so that it needs no Next.js: two small modules stand for what its page imports.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'ava'
import { rolldown } from 'rolldown'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/integrate-nextjs.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'daikon-nextjs-'))
const environment = await startTestEnvironment()
const { serviceKey, values } = await seedClientCases(environment, readClientCases())
test.after.always(async () => {
  await environment.stop()
  rmSync(folder, { recursive: true })
})

const [bob, carol] = [values['bob.token'] as string, values['carol.token'] as string]

/** The parts of Next.js that the page uses. */
const nextModules = {
  'next/headers.ts': `
    export const jar: { token?: string } = {}
    export const cookies = async () => ({
      get: (name: string) => (name === 'access_token' && jar.token ? { value: jar.token } : undefined),
    })`,
  'next/navigation.ts': `
    export function notFound(): never { throw new Error('not found') }
    export function redirect(path: string): never { throw new Error('redirect to ' + path) }`,
}

const paths: Record<string, string[]> = {
  '@daikon-auth/client/*': [join(root, 'clients/typescript/src/*.ts')],
  'next/*': [join(folder, 'next/*.ts')],
}

const files = new Map<string, string>(Object.entries(nextModules))
for (const [, name = '', text = ''] of page.matchAll(
  /<!-- file: (\S+) -->\n```tsx?\n([\s\S]*?)^```$/gm,
))
  files.set(name, text)
for (const [name, text] of files) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

test('the application for Next.js compiles', (t) => {
  t.timeout(600_000)
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      jsx: 'react-jsx',
      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
      paths: { ...paths, 'react/*': [join(root, 'node_modules/@types/react/*')] },
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [],
    exclude: [],
    files: [...files.keys()],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder])
  t.is(status, 0, String(stdout))
})

test('the application for Next.js decides as the page says', async (t) => {
  t.timeout(600_000)
  process.env.DAIKON_URL = `http://127.0.0.1:${environment.httpPort}`
  process.env.DAIKON_SERVICE_KEY = serviceKey
  const { list, item, page, headers } = await load()
  const send = (handler: Handler, token?: string, body?: object, id = '') =>
    handler(
      new Request('http://localhost/', {
        method: 'POST',
        headers: token ? { authorization: `Bearer ${token}` } : {},
        body: JSON.stringify(body ?? {}),
      }),
      { params: Promise.resolve({ id }) },
    )

  const created = await send(list.POST, bob, { text: 'Buy radishes' })
  t.is(created.status, 201)
  const { id } = (await created.json()) as { id: string }
  t.is((await send(list.GET)).status, 401)
  const visible = async (token: string) => (await send(list.GET, token)).json()
  t.deepEqual(await visible(bob), [{ id, text: 'Buy radishes' }])
  t.deepEqual(await visible(carol), [])
  const render = async (token?: string) => {
    headers.jar.token = token
    return page.default({ params: Promise.resolve({ id }) })
  }
  await t.throwsAsync(render(), { message: 'redirect to /sign-in' })
  await t.throwsAsync(render('nonsense'), { message: 'redirect to /sign-in' })
  await t.throwsAsync(render(carol), { message: 'not found' })

  t.is((await send(item.PUT, carol, { text: 'Mine' }, id)).status, 403)
  const share = { email: 'carol@acme.example', permission: 'edit' }
  t.is((await send(item.POST, carol, share, id)).status, 403)
  t.is((await send(item.POST, bob, { ...share, email: 'none@acme.example' }, id)).status, 404)
  t.is((await send(item.POST, bob, share, id)).status, 204)
  const edited = await send(item.PUT, carol, { text: 'Buy daikon' }, id)
  t.deepEqual(await edited.json(), { id, text: 'Buy daikon' })
  t.is((await render(carol)).props.children, 'Buy daikon')
})

type Handler = (request: Request, context: object) => Promise<Response>

/** Bundles the application, so that its modules are one program as in Next.js, and imports it. */
async function load() {
  const names = { list: 'app/api/notes/route.ts', item: 'app/api/notes/[id]/route.ts' }
  const modules = { ...names, page: 'app/notes/[id]/page.tsx', headers: 'next/headers.ts' }
  const lines = Object.entries(modules).map(
    ([name, path]) => `export * as ${name} from './${path}'`,
  )
  writeFileSync(join(folder, 'main.ts'), lines.join('\n'))
  const alias: Record<string, string> = {
    'react/jsx-runtime': join(root, 'node_modules/react/jsx-runtime.js'),
  }
  for (const name of ['@daikon-auth/client/fetch', '@daikon-auth/client/web'])
    alias[name] = join(root, `clients/typescript/src/${name.split('/').at(-1)}.ts`)
  for (const name of Object.keys(nextModules)) alias[name.replace('.ts', '')] = join(folder, name)
  const build = await rolldown({
    input: join(folder, 'main.ts'),
    platform: 'node',
    resolve: { alias },
  })
  const file = join(folder, 'main.mjs')
  await build.write({ file, format: 'esm' })
  return import(file)
}
