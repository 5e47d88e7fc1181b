import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { type Method, readMethods, readStreams, type Stream } from '../../src/rpc/method.ts'

const golden = new URL('../golden/policy.txt', import.meta.url)

/**
 * Formats a method as one line, so that a diff shows every change of permissions. UPDATE_GOLDEN=1
 * rewrites the file.
 */
function line(method: Method | Stream): string {
  const { name, policy } = method
  const { tier, optionalUser, leastRole, workspaceField, serviceField, limitPerMinute, status } =
    policy
  return [
    name.replace('daikon.v1.', ''),
    'kind' in method
      ? method.kind
      : method.routes.map(({ verb, path }) => `${verb.toUpperCase()} ${path}`).join(' | '),
    optionalUser ? `${tier}, user optional` : tier,
    `role ${leastRole ?? '-'}`,
    `workspace ${workspaceField ?? '-'}`,
    `service ${serviceField?.join('.') ?? '-'}`,
    `limit ${limitPerMinute ?? '-'}`,
    status,
  ].join(' · ')
}

test('every method and stream has the policy recorded in test/golden/policy.txt', (t) => {
  const registry = readRegistry()
  const lines = [...readMethods(registry), ...readStreams(registry)].map(line)
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, `${lines.join('\n')}\n`)
  t.deepEqual(lines, readFileSync(golden, 'utf8').trimEnd().split('\n'))
})
