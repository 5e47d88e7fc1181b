import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import test from 'ava'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')

/** The module of docker compose that contains the schema. */
const schemaModule = 'github.com/compose-spec/compose-go/v2@v2.9.1'
const { status, stdout } = spawnSync('go', ['mod', 'download', '-json', schemaModule], {
  encoding: 'utf8',
})
const isAvailable = status === 0
if (!isAvailable) console.info(`Go is not installed or cannot download ${schemaModule}`)

const testWithSchema = isAvailable ? test : test.skip

testWithSchema('docker-compose.yml conforms to the schema of the Compose Specification', (t) => {
  const folder: string = JSON.parse(stdout).Dir
  const text = readFileSync(join(folder, 'schema/compose-spec.json'), 'utf8')
  const { $schema: _, ...schema } = JSON.parse(text)
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true })
  t.true(validate(compose), JSON.stringify(validate.errors))
  const misspelled = structuredClone(compose)
  Object.assign(misspelled.services.redis, { read_onlyy: true })
  t.false(validate(misspelled))
})
