import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

/**
 * Generates code into a folder that stands for the root of the repository, so that a failure leaves
 * the repository as it was. `replaceFolder` copies the complete result.
 */
const root = join(import.meta.dirname, '..')

/** The generated folder of the TypeScript client, which is not committed. */
export const clientCode = 'clients/typescript/src/gen'

/** The folder with the types of the REST API for the admin console, which is not committed. */
export const restTypes = 'console/gen'

/** Files of the server that the fake of the TypeScript client needs to make the same decisions. */
const copiedFiles = [
  'permissions/access.ts',
  'permissions/engine/grants/grant-rule.ts',
  'core/roles.ts',
  'core/email.ts',
  'core/merge-patch.ts',
  'core/json-object.ts',
  'core/nearest-names.ts',
]

const clientInputs = [
  'proto',
  'clients/typescript/buf.gen.yaml',
  'gen/daikon.binpb',
  'tools/generated-code.ts',
  'tools/generate-client-methods.ts',
  'package-lock.json',
  ...copiedFiles.map((name) => `src/${name}`),
]

/** The follower of access keys of the TypeScript client, which `daikon sync` runs, too. */
const followerFiles = 'clients/typescript/src/access/copy'

/**
 * Generates `gen`: messages and service definitions in TypeScript, the descriptors, and a copy of the follower
 * of access keys.
 */
export function generateServerCode(target: string): void {
  run('buf', 'generate', '--output', target)
  const health = 'node_modules/grpc-health-check/proto'
  const descriptors = (name: string) => ['-o', join(target, name), '--as-file-descriptor-set']
  run('buf', 'build', ...descriptors('gen/documented.binpb'))
  run('buf', 'build', ...descriptors('gen/daikon.binpb'), '--exclude-source-info')
  run('buf', 'build', health, ...descriptors('gen/health.binpb'), '--exclude-source-info')
  for (const name of globSync('**/*.ts', { cwd: join(root, followerFiles) })) {
    const copy = join(target, 'gen/access-copy', name)
    mkdirSync(dirname(copy), { recursive: true })
    const header = `// Copied from ${followerFiles}/${name}. DO NOT EDIT.\n\n`
    writeFileSync(copy, header + readFileSync(join(root, followerFiles, name), 'utf8'))
  }
}

/**
 * Generates the messages and methods of the TypeScript client from the proto and the descriptors in
 * `gen`, and copies the access rules of the server.
 */
export function generateClientCode(target: string): void {
  run('buf', 'generate', '--template', 'clients/typescript/buf.gen.yaml', '--output', target)
  run(process.execPath, 'tools/generate-client-methods.ts', join(target, clientCode))
  for (const name of copiedFiles) {
    const copy = join(target, clientCode, name)
    mkdirSync(dirname(copy), { recursive: true })
    const header = `// Copied from src/${name}. DO NOT EDIT.\n\n`
    writeFileSync(copy, header + readFileSync(join(root, 'src', name), 'utf8'))
  }
}

/** Generates the types of the REST API for the admin console. */
export function generateRestTypes(target: string): void {
  const file = join(target, restTypes, 'rest-api.ts')
  mkdirSync(dirname(file), { recursive: true })
  run(process.execPath, 'tools/generate-rest-types.ts', file)
}

/** Generates the code of the TypeScript client if it is missing or older than its inputs. */
export function ensureClientCode(): void {
  const generated = statSync(join(root, clientCode), { throwIfNoEntry: false })
  const isCurrent = (input: string) => generated && findLastChange(input) <= generated.mtimeMs
  if (clientInputs.every(isCurrent)) return
  withTemporaryFolder((folder) => {
    generateClientCode(folder)
    replaceFolder(clientCode, folder)
  })
}

/** Runs `use` with a temporary folder and removes the folder. */
export function withTemporaryFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-generate-'))
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a program of the repository's packages in its root. Throws if the program fails. */
export function run(command: string, ...args: string[]): void {
  const env = { ...process.env, PATH: [packagePrograms, process.env.PATH].join(delimiter) }
  const { error, status } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) throw error ?? new Error(`${command} ${args[0]} failed`)
}

const packagePrograms = join(root, 'node_modules/.bin')

/** Replaces a folder of the repository with the one generated below `source`. */
export function replaceFolder(folder: string, source: string): void {
  const target = join(root, folder)
  const complete = `${target}-${process.pid}`
  cpSync(join(source, folder), complete, { recursive: true })
  rmSync(target, { recursive: true, force: true })
  renameSync(complete, target)
}

/** Returns when a file, or any file in a folder, last changed. */
function findLastChange(path: string): number {
  const stats = statSync(join(root, path))
  if (!stats.isDirectory()) return stats.mtimeMs
  const names = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
  return Math.max(...names.map((name) => statSync(join(root, path, name)).mtimeMs))
}

if (import.meta.main) ensureClientCode()
