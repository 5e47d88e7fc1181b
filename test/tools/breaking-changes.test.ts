import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { findBreakingProblems } from '../../tools/breaking-changes.ts'

const root = join(import.meta.dirname, '../..')

/** Returns buf's report of changes to a copy of proto/. */
function compare(t: { teardown: (end: () => void) => void }, from: string, to: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-breaking-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['proto', 'buf.yaml'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  const file = join(folder, 'proto/daikon/v1/groups.proto')
  const source = readFileSync(file, 'utf8')
  if (!source.includes(from)) throw new Error(`groups.proto does not contain ${from}`)
  writeFileSync(file, source.replace(from, to))
  const buf = join(root, 'node_modules/.bin/buf')
  const args = ['breaking', '--against', root, '--error-format', 'json']
  return spawnSync(buf, args, { cwd: folder, encoding: 'utf8' }).stdout
}

const from = 'rpc DeleteGroup(DeleteGroupRequest)'
const to = 'rpc DeleteGroup(GroupRequest)'
const message =
  'RPC "DeleteGroup" on service "GroupService" changed request type from "daikon.v1.DeleteGroupRequest" to "daikon.v1.GroupRequest".'

test('a changed request type is a problem unless it is accepted', (t) => {
  const output = compare(t, from, to)
  t.regex(findBreakingProblems(output, []).join(), /^proto\/daikon\/v1\/groups\.proto:\d+: RPC /)
  t.deepEqual(findBreakingProblems(output, [message]), [])
})

test('an accepted change that does not exist is a problem', (t) => {
  t.regex(findBreakingProblems('', [message]).join(), /accepts what buf does not find: RPC/)
})
