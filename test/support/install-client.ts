import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * `node test/support/install-client.ts <package>...` stands for `npm install @daikon-auth/client <package>...`
 * in the tests of the documentation: builds the client into the current folder and links the packages of
 * this repository, without a registry.
 */
const root = join(import.meta.dirname, '../..')
const source = join(root, 'clients/typescript')
const modules = join(process.cwd(), 'node_modules')
const target = join(modules, '@daikon-auth/client')

mkdirSync(target, { recursive: true })
cpSync(join(source, 'package.json'), join(target, 'package.json'))
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const args = [compiler, '-p', source, '--outDir', join(target, 'dist')]
execFileSync(process.execPath, args, { stdio: 'inherit' })
for (const name of ['@grpc/grpc-js', '@bufbuild/protobuf', ...process.argv.slice(2)]) {
  const link = join(modules, name)
  if (existsSync(link)) continue
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), link)
}
