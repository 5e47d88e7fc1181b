import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'

const root = join(import.meta.dirname, '../..')

/** What `npm run generate` reads and writes. */
const inputs = ['README.md', 'buf.gen.yaml', 'buf.yaml', 'docs', 'package-lock.json', 'proto']
const sources = [
  'clients/go/buf.gen.yaml',
  'clients/typescript/buf.gen.yaml',
  'gen',
  'src',
  'tools',
]

test('npm run generate writes all code for a method without a handler, and keeps it after a mistake', async (t) => {
  const folder = await copyRepository(t)
  const proto = join(folder, 'proto/daikon/v1/admin.proto')
  const original = await readFile(proto, 'utf8')
  const [declaration = ''] = /^ {2}rpc GetStats\(.*?^ {2}\}\n/ms.exec(original) ?? []
  const added = declaration.replace('GetStats(', 'CopyStats(').replace('/stats', '/copied-stats')
  await writeFile(proto, original.replace(declaration, `${declaration}\n${added}`))

  const generated = generate(folder)
  t.is(generated.status, 0, generated.stderr)
  const read = (path: string) => readFile(join(folder, path), 'utf8')
  t.regex(
    await read('gen/daikon/v1/admin.ts'),
    /copyStats: handleUnaryCall<GetStatsRequest, Stats>/,
  )
  t.regex(await read('gen/daikon.binpb'), /CopyStats/)
  t.regex(await read('console/gen/rest-api.ts'), /"\/admin\/copied-stats"/)
  t.regex(await read('docs/api.md'), /AdminService\/CopyStats/)
  t.regex(await read('clients/typescript/src/gen/daikon/v1/permissions.ts'), /PermissionService/)

  await writeFile(proto, original.replace('service AdminService {', 'service AdminService'))
  const failed = generate(folder)
  t.is(failed.status, 1)
  const line = original.split('\n').indexOf('service AdminService {') + 1
  t.true(failed.stderr.includes(`admin.proto:${line}:`), failed.stderr)
  t.regex(await read('gen/daikon/v1/admin.ts'), /copyStats: handleUnaryCall/)
  t.regex(await read('gen/daikon.binpb'), /CopyStats/)
  t.regex(await read('console/gen/rest-api.ts'), /"\/admin\/copied-stats"/)
})

async function copyRepository(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-generate-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  for (const path of [...inputs, ...sources])
    await cp(join(root, path), join(folder, path), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs the script without Go, whose code the other steps do not need. */
function generate(folder: string): { status: number | null; stderr: string } {
  const env = { ...process.env, PATH: join(root, 'node_modules/.bin') }
  const options = { cwd: folder, env, encoding: 'utf8' } as const
  return spawnSync(process.execPath, ['tools/generate.ts'], options)
}
