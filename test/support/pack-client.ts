import { execFile } from 'node:child_process'
import { copyFile, cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** A client that is installed in an empty folder from its package. */
export type InstalledClient = {
  folder: string
  /** The files of the package. */
  files: string[]
  /** The size of the package in bytes. */
  size: number
  npm(...args: string[]): Promise<unknown>
  /** Copies sources into the folder and type-checks them with both versions of TypeScript. */
  checkTypes(sources: string, compilerOptions?: object): Promise<void>
}

/** Packs `clients/<name>` and installs it in an empty folder together with other packages. */
export async function installPackedClient(
  t: ExecutionContext,
  name: string,
  packages: string[],
): Promise<InstalledClient> {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-client-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const npm = (...args: string[]) => run('npm', args, { cwd: folder, maxBuffer: 2 ** 26 })
  const source = await copyClient(name, join(folder, 'source'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: source,
  })
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  const files = packed.files.map(({ path }: { path: string }) => path)
  for (const name of ['LICENSE', 'README.md', 'package.json', 'dist/daikon.js', 'dist/daikon.d.ts'])
    t.true(files.includes(name), name)
  const outside = files.filter(
    (name: string) => !/^(dist\/|LICENSE$|README\.md$|package\.json$)/.test(name),
  )
  t.deepEqual(outside, [])
  await writeFile(join(folder, 'package.json'), '{"name": "consumer", "type": "module"}')
  const options = ['--prefer-offline', '--no-audit', '--no-fund']
  await npm('install', ...options, join(folder, packed.filename), ...packages)

  async function checkTypes(sources: string, compilerOptions: object = {}): Promise<void> {
    const files = await readdir(sources)
    for (const file of files) await copyFile(join(sources, file), join(folder, file))
    const options = {
      rootDir: '.',
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      ...compilerOptions,
    }
    const config = JSON.stringify({ compilerOptions: options, files })
    await writeFile(join(folder, 'tsconfig.json'), config)
    for (const compiler of ['typescript/bin/tsc', 'typescript-5/bin/tsc']) {
      const path = join(root, 'node_modules', compiler)
      const checked = await run(process.execPath, [path, '-p', '.'], { cwd: folder }).catch(
        (error) => error,
      )
      t.is(checked.stdout, '', compiler)
    }
  }

  return { folder, files, size: packed.size, npm, checkTypes }
}

/**
 * Copies the client, so that the build does not replace files that another test uses. The copy is at
 * the same place below its root as in the repository.
 */
async function copyClient(name: string, target: string): Promise<string> {
  const filter = (path: string) => !/dist$|node_modules$/.test(path)
  const client = join(target, 'clients', name)
  await cp(join(root, 'clients', name), client, { recursive: true, filter })
  await copyFile(join(root, 'LICENSE'), join(target, 'LICENSE'))
  for (const shared of ['node_modules', 'tools'])
    await symlink(join(root, shared), join(target, shared))
  return client
}
