import { createPrivateKey, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { SignJWT } from 'jose'
import { pino } from 'pino'
import { createKeyFiles, readKeys } from '../../src/identity/keys.ts'
import { createCallLog } from '../../src/server/observability/call-log.ts'
import { expectError } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const folder = await mkdtemp(join(tmpdir(), 'daikon-keys-'))
const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
createKeyFiles(paths)
const keys = await readKeys(paths)
const privateKey = createPrivateKey(await readFile(paths.privatePath))
const lines: Record<string, string>[] = []
const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
const environment = await startTestEnvironment({ DEBUG: false }, undefined, {
  currentKeys: () => keys,
  observers: { onCallEnd: createCallLog(log) },
})
const debugNode = await environment.addNode({ DEBUG: true })
test.after.always(async () => {
  await environment.stop()
  await rm(folder, { recursive: true })
})

/** What is wrong with a token, as clients of a server in debug mode and all logs are told. */
const explanations: [claims: object, reason: string, explanation: RegExp][] = [
  [
    { iss: 'http://localhost:8000/other' },
    'TOKEN_INVALID',
    /its issuer is "http:\/\/localhost:8000\/other", but BASE_URL is "http.*"$/,
  ],
  [{ aud: 'other' }, 'TOKEN_INVALID', /its audience is "other" instead of "daikon"$/],
  [{ exp: 1_700_000_000 }, 'TOKEN_EXPIRED', /it expired at 2023-11-14T22:13:20.000Z$/],
  [{ kid: 'other' }, 'TOKEN_INVALID', /it was not signed with a key of this server$/],
  [{ typ: 'JWT' }, 'TOKEN_INVALID', /its header does not have the type \(typ\) at\+jwt$/],
]

async function createToken({ kid, typ, ...claims }: { kid?: string; typ?: string }) {
  const payload = {
    sub: randomUUID(),
    jti: randomUUID(),
    type: 'access',
    iss: 'http://localhost:8000',
    aud: 'daikon',
    exp: Math.floor(Date.now() / 1000) + 900,
    ...claims,
  }
  const header = { alg: 'RS256', typ: typ ?? 'at+jwt', kid: kid ?? keys.signer.kid }
  return new SignJWT(payload).setProtectedHeader(header).sign(privateKey)
}

for (const [claims, reason, explanation] of explanations) {
  test.serial(`a token with ${JSON.stringify(claims)} is rejected with its reason`, async (t) => {
    const token = await createToken(claims)
    for (const [node, isExplained] of [
      [environment, false],
      [debugNode, true],
    ] as const) {
      for (const transport of node.transports) {
        const before = lines.length
        const error = expectError(await transport.call('GetMe', {}, { token }))
        t.is(error.reason, reason)
        t.is(explanation.test(error.detail), isExplained, error.detail)
        const [line] = lines.slice(before)
        t.regex(line?.detail ?? '', explanation)
        t.false(JSON.stringify(line).includes(token))
      }
    }
  })
}
