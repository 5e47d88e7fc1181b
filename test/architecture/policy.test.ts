import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { type Method, readMethods, readStreams, type Stream } from '../../src/rpc/method.ts'

const golden = new URL('../golden/policy.txt', import.meta.url)

/** One line a method: whatever changes anybody's rights is a visible change; UPDATE_GOLDEN=1 writes it. */
function line(method: Method | Stream): string {
  const { name, policy } = method
  const { tier, leastRole, workspaceField, serviceField, limitPerMinute, status } = policy
  return [
    name.replace('daikon.v1.', ''),
    'kind' in method ? method.kind : `${method.route.verb.toUpperCase()} ${method.route.path}`,
    tier,
    `role ${leastRole ?? '-'}`,
    `workspace ${workspaceField ?? '-'}`,
    `service ${serviceField?.join('.') ?? '-'}`,
    `limit ${limitPerMinute ?? '-'}`,
    status,
  ].join(' · ')
}

test('every method and every stream has the rights of the golden table', (t) => {
  const registry = readRegistry()
  const lines = [...readMethods(registry), ...readStreams(registry)].map(line)
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, `${lines.join('\n')}\n`)
  t.deepEqual(lines, readFileSync(golden, 'utf8').trimEnd().split('\n'))
})
