import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * `node test/support/generate-go.ts [<folder>]`: generates clients/go/daikonv1 in the repository or
 * in the folder. If Go is missing or its plugins cannot be installed, prints a message and
 * generates nothing. With `--check`, the exit status is then 3.
 */
const root = join(import.meta.dirname, '../..')
const plugins = join(root, 'node_modules/.cache/daikon-go')
const args = process.argv.slice(2)
const isCheck = args.includes('--check')
const [folder = root] = args.filter((argument) => argument !== '--check')

const packages = [
  'google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12',
  'google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2',
]

const failure = installPlugins()
if (failure === undefined) {
  const template = join(root, 'clients/go/buf.gen.yaml')
  const env = { ...process.env, PATH: `${plugins}:${process.env.PATH}` }
  const generate = ['generate', '--template', template, '--output', folder]
  const { status } = spawnSync('buf', generate, { cwd: root, env, stdio: 'inherit' })
  process.exitCode = status ?? 1
} else {
  process.stdout.write(`clients/go/daikonv1 was not generated: ${failure}\n`)
  if (isCheck) process.exitCode = 3
}

function installPlugins(): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return 'Go is not installed'
  const env = { ...process.env, GOBIN: plugins }
  for (const name of packages) {
    const { status, stderr } = spawnSync('go', ['install', name], { env, encoding: 'utf8' })
    if (status !== 0) return stderr.trim()
  }
  return undefined
}
