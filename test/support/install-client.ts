import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * `node test/support/install-client.ts <client> <package>...`: replaces `npm install` of
 * `@daikon-auth/<client>` and other packages in the tests of the documentation. Builds the client
 * into the current folder and links packages of this repository. Only other packages come from a
 * registry.
 */
const root = join(import.meta.dirname, '../..')
const modules = join(process.cwd(), 'node_modules')
const [client = '', ...packages] = process.argv.slice(2)
const source = join(root, 'clients', client === 'client' ? 'typescript' : client)
const target = join(modules, '@daikon-auth', client)
const dependencies = client === 'client' ? ['@grpc/grpc-js', '@bufbuild/protobuf'] : []

const isLinked = (name: string) => existsSync(join(root, 'node_modules', name))
const others = packages.filter((name) => !isLinked(name))
if (others.length > 0) {
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', ...options, ...others], { stdio: 'inherit' })
}
// Copied after npm has run, because npm removes files that it did not install.
mkdirSync(target, { recursive: true })
cpSync(join(source, 'package.json'), join(target, 'package.json'))
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const args = [compiler, '-p', source, '--outDir', join(target, 'dist')]
execFileSync(process.execPath, args, { stdio: 'inherit' })
for (const name of [...dependencies, ...packages.filter(isLinked)]) {
  const link = join(modules, name)
  if (existsSync(link)) continue
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), link)
}
