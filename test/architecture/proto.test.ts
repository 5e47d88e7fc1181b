import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { readRegistry } from '../../src/rpc/descriptors.ts'

const { files } = readRegistry()
const own = [...files].filter(({ proto }) => proto.package === 'daikon.v1')

// Type names in a service resolve to its own methods first, so descriptors printed as source would
// not compile.
test('no method has the name of a message', (t) => {
  const messages = new Set(own.flatMap((file) => file.messages.map(({ name }) => name)))
  const methods = own.flatMap(({ services }) => services).flatMap((service) => service.methods)
  t.true(methods.length > 50)
  t.deepEqual(
    methods.map(({ name }) => name).filter((name) => messages.has(name)),
    [],
  )
})

test('every file specifies its Go package', (t) => {
  const path = 'github.com/daikon-auth/daikon/clients/go/daikonv1'
  for (const { name, proto } of own) t.is(proto.options?.goPackage, path, name)
})

test('proto/ compiles without other files', (t) => {
  const folder = copyProto()
  t.teardown(() => rmSync(folder, { recursive: true }))
  const { status, stderr } = spawnSync('buf', ['build', '.'], { cwd: folder, encoding: 'utf8' })
  t.is(status, 0, stderr)
})

// protoc, or the copy that `pip install grpcio-tools` installs.
const compilers = [['protoc'], ['python3', '-m', 'grpc_tools.protoc']]
const compiler = compilers.find(([command = '', ...args]) => isInstalled(command, ...args))
const testWithProtoc = compiler ? test : test.skip

testWithProtoc('protoc compiles proto/ for Python', (t) => {
  t.deepEqual(compile('python', t.teardown), ['daikon', 'envoy', 'google'])
})

const testWithGo = compiler && isInstalled('protoc-gen-go') ? test : test.skip

testWithGo('protoc compiles proto/ for Go', (t) => {
  t.deepEqual(compile('go', t.teardown), ['github.com', 'google.golang.org'])
})

function compile(language: string, onTeardown: (callback: () => void) => void): string[] {
  const folder = copyProto()
  onTeardown(() => rmSync(folder, { recursive: true }))
  const [command = '', ...args] = compiler ?? []
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const output = join(folder, 'output')
  mkdirSync(output)
  const { status, stderr } = spawnSync(
    command,
    [
      ...args,
      '-I.',
      `--${language}_out=${output}`,
      ...sources.filter((name) => name.endsWith('.proto')),
    ],
    { cwd: folder, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return readdirSync(output).sort()
}

function copyProto(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-proto-'))
  cpSync('proto', folder, { recursive: true })
  return folder
}

function isInstalled(command: string, ...args: string[]): boolean {
  return spawnSync(command, [...args, '--version']).status === 0
}
