import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { createError } from '../../clients/typescript/src/errors.ts'
import { toProblem } from '../../clients/typescript/src/http-guard.ts'
import { receivedReason } from '../../src/core/define-reasons.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { toProblem as toServerProblem } from '../../src/rpc/problem.ts'

const codes = [
  'unauthenticated',
  'permission_denied',
  'not_found',
  'invalid_argument',
  'unavailable',
] as const

const rows = codes.map((code) => {
  const error = new ServiceError(
    receivedReason('REASON', code),
    'Permissions cannot be checked right now',
  )
  return { code, problem: toServerProblem(error, 'id') }
})

test('guards respond with the problems of the server', (t) => {
  for (const { code, problem } of rows) {
    const details = { requestId: 'id' }
    const error = createError(code, 'REASON', 'Permissions cannot be checked right now', details)
    t.deepEqual(JSON.parse(toProblem(error)?.body ?? ''), problem)
  }
})

// The tests of these guards show their statuses.
for (const path of [
  'python/src/daikon/_http.py',
  'go/daikonhttp/problem.go',
  'java/src/main/java/io/github/daikonauth/spring/DaikonProblems.java',
])
  test(`${path} has the types and titles of the problems of the server`, (t) => {
    const source = readFileSync(join(import.meta.dirname, '../../clients', path), 'utf8')
    for (const { problem } of rows) {
      const [, type] = /^urn:daikon:problem:(.*)$/.exec(problem.type) ?? []
      t.true(source.includes(`"${type}", "${problem.title}"`), problem.type)
    }
    t.true(source.includes('urn:daikon:problem:'))
  })
