import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { run } from './generated-code.ts'

/** The generated folder of the Go client. Go fetches modules from git, so it is committed. */
export const goCode = 'clients/go/daikonv1'

const plugins = join(import.meta.dirname, '../node_modules/.cache/daikon-go')

const packages = [
  'google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12',
  'google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2',
]

/**
 * Generates the messages of the Go client. Returns false, after a message, if Go is missing or the
 * plugins cannot be installed.
 */
export function generateGoCode(target: string): boolean {
  const failure = installPlugins()
  if (failure !== undefined) {
    process.stdout.write(`${goCode} was not generated: ${failure}\n`)
    return false
  }
  process.env.PATH = [plugins, process.env.PATH].join(delimiter)
  run('buf', 'generate', '--template', 'clients/go/buf.gen.yaml', '--output', target)
  return true
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
