// Generators of clients read /openapi.json, and their code compiles.
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { describeApi } from '../../tools/openapi-document.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const generators = join(root, 'test/support/openapi-generators')
const folder = mkdtempSync(join(tmpdir(), 'daikon-generated-'))
// Here instead of in the repository, because orval's packages contain tests in TypeScript.
const npmArgs = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
await writeFile(join(folder, 'package.json'), '{"private": true}')
const npmError = await run('npm', [...npmArgs, 'orval@8.38.0'], { cwd: folder }).then(
  () => '',
  (error) => String(error.stderr ?? error),
)
const orval = join(folder, 'node_modules/orval')
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

const document = join(folder, 'openapi.json')
test.before(() => writeFile(document, JSON.stringify(describeApi())))

/** Returns a test that is skipped if a file of a generator is not installed. */
function testWith(
  name: string,
  file: string,
  advice = 'Run test/support/openapi-generators/install',
) {
  if (existsSync(file)) return test.serial
  console.info(`${advice}: ${name} is not tested`)
  return test.skip
}

const oapiCodegen = join(generators, 'go/bin/oapi-codegen')

testWith('oapi-codegen', oapiCodegen)('oapi-codegen generates Go that compiles', async (t) => {
  t.timeout(600_000)
  const target = join(folder, 'go')
  await mkdir(join(target, 'api'), { recursive: true })
  for (const file of ['go.mod', 'go.sum'])
    await copyFile(join(generators, 'go', file), join(target, file))
  const output = join(target, 'api/api.go')
  await run(oapiCodegen, ['-generate', 'types,client', '-package', 'api', '-o', output, document])
  await writeFile(join(target, 'main.go'), goProgram)
  const { stdout } = await run('go', ['run', '-mod=mod', '.'], { cwd: target })
  const parent = { external_id: 'guides', resource_type: 'folder' }
  t.like(JSON.parse(stdout).resources[0], { external_id: 'guide', parent })
  // A type that combines alternatives takes its fields as raw JSON.
  t.notRegex(readFileSync(output, 'utf8'), /\bunion +json\.RawMessage/)
})

/** Uses the items of a list, which are types of their own, and the type of one of their fields. */
const goProgram = `package main

import (
	"encoding/json"
	"fmt"

	"github.com/daikon-auth/daikon/test/support/openapi-generators/go/api"
)

func main() {
	guide, guides := "guide", "guides"
	body := api.RegisterBatchRequest{Resources: []api.RegisterResourceRequest{{
		ExternalId: &guide,
		Parent:     &api.ParentReference{ResourceType: "folder", ExternalId: &guides},
	}}}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(text))
}
`

const [jar = ''] = globSync(join(generators, 'java/bin/openapi-generator-cli-*.jar'))
const classes = join(generators, 'java/lib')

testWith('openapi-generator', jar)('openapi-generator generates Java that compiles', async (t) => {
  t.timeout(600_000)
  const target = join(folder, 'java')
  const options = ['generate', '-g', 'java', '--library', 'native', '-i', document, '-o', target]
  const { stdout } = await run('java', ['-jar', jar, ...options], { maxBuffer: 2 ** 26 })
  t.notRegex(stdout, /\bERROR\b/)
  const sources = globSync(join(target, 'src/main/java/**/*.java'))
  const files = join(folder, 'java-files')
  await writeFile(files, sources.join('\n'))
  const compiled = join(folder, 'classes')
  await run('javac', ['-nowarn', '-cp', `${classes}/*`, '-d', compiled, `@${files}`])
  t.true(sources.some((file) => file.endsWith('/model/ParentReference.java')))
})

testWith(
  'orval',
  orval,
  npmError,
)('orval generates TypeScript that compiles', async (t) => {
  t.timeout(600_000)
  const target = join(folder, 'orval')
  await mkdir(target)
  const { bin } = JSON.parse(readFileSync(join(orval, 'package.json'), 'utf8'))
  const program = join(orval, typeof bin === 'string' ? bin : bin.orval)
  const output = join(target, 'api.ts')
  const options = ['--input', document, '--output', output, '--client', 'fetch']
  await run(process.execPath, [program, ...options], { cwd: target })
  await writeFile(join(target, 'use.ts'), orvalProgram)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const language = ['--noEmit', '--strict', '--target', 'es2023', '--lib', 'es2023,dom']
  const modules = ['--module', 'preserve', '--allowImportingTsExtensions', '--types', '']
  await run(process.execPath, [compiler, ...language, ...modules, 'use.ts'], { cwd: target })
  t.pass()
})

const orvalProgram = `import type { ParentReference, RegisterResourceRequest } from './api.ts'

const parent: ParentReference = { resource_type: 'folder', external_id: 'guides' }
export const guide: Pick<RegisterResourceRequest, 'external_id' | 'parent'> = {
  external_id: 'guide',
  parent,
}
`
