import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import {
  type Declaration,
  type Method,
  readForeignMethods,
  readMethods,
  readStreams,
  readWatches,
  type Stream,
} from '../../src/rpc/method.ts'
import { type JsonSchema, requestSchema } from '../../src/rpc/schema.ts'

const golden = new URL('../golden/policy.txt', import.meta.url)

/**
 * Formats a method as one line, so that a diff shows every change of permissions. UPDATE_GOLDEN=1
 * rewrites the file.
 */
function line(method: Method | Stream | Declaration): string {
  const { name, policy } = method
  const {
    tier,
    optionalUser,
    optionalAdmin,
    optionalClient,
    leastRole,
    workspaceField,
    serviceField,
  } = policy
  const { scope, limitPerMinute, status, anyMethod, lenientUser, variants } = policy
  const user = lenientUser ? 'user lenient' : 'user optional'
  return [
    name.replace('daikon.v1.', ''),
    'routes' in method
      ? method.routes
          .map(({ verb, path }) => `${anyMethod ? 'ANY' : verb.toUpperCase()} ${path}`)
          .join(' | ')
      : 'kind' in method
        ? method.kind
        : 'gRPC',
    optionalAdmin
      ? `${tier} or admin`
      : optionalClient
        ? `${tier} or client`
        : optionalUser
          ? `${tier}, ${user}`
          : tier,
    ...(scope ? [`scope ${scope}`] : []),
    ...(variants.includes('service_account') ? ['service accounts'] : []),
    `role ${leastRole ?? '-'}`,
    `workspace ${workspaceField ?? '-'}`,
    `service ${serviceField?.join('.') ?? '-'}`,
    `limit ${limitPerMinute ?? '-'}`,
    status,
  ].join(' · ')
}

test('every method and stream has the policy recorded in test/golden/policy.txt', (t) => {
  const registry = readRegistry()
  const lines = [
    ...readMethods(registry),
    ...readStreams(registry),
    ...readWatches(registry),
    ...readForeignMethods(registry),
  ].map(line)
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, `${lines.join('\n')}\n`)
  t.deepEqual(lines, readFileSync(golden, 'utf8').trimEnd().split('\n'))
})

/** Returns the number of characters of the largest valid request, without its punctuation. */
function sizeOf(schema: JsonSchema): number {
  const { type, properties = {}, maxItems = 0, maxLength = 36 } = schema
  if (type === 'array') {
    // The items of a list with a maximum length.
    const { items } = (schema.else ?? schema) as JsonSchema
    return Number(maxItems) * sizeOf((items ?? {}) as JsonSchema)
  }
  if (type !== 'object') return Number(maxLength)
  const members = Object.entries(properties as Record<string, JsonSchema>)
  return members.reduce((sum, [name, member]) => sum + name.length + sizeOf(member), 0)
}

test('the methods whose valid requests exceed 256 KiB, and no others, are bulk methods', (t) => {
  const registry = readRegistry()
  for (const { name, route, policy, input } of readMethods(registry)) {
    if (!route.body || policy.form || policy.upload) continue
    const size = sizeOf(requestSchema(registry, input, 'documentation'))
    t.is(policy.bulk, size > 256 * 1024, `${name}: ${size}`)
  }
})
