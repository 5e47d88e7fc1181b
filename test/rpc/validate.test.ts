import test from 'ava'
import { ServiceError } from '../../src/core/errors.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { readMethods } from '../../src/rpc/method.ts'
import { type JsonSchema, requestSchema } from '../../src/rpc/schema.ts'
import { compileSchema, createValidator } from '../../src/rpc/validate.ts'

const registry = readRegistry()
const methods = readMethods(registry)

/** Returns the schemas in a schema, with itself. */
function listSchemas(schema: JsonSchema): JsonSchema[] {
  const nested = [...Object.values(schema.properties ?? {}), schema.items, schema.else]
  return [schema, ...nested.filter(Boolean).flatMap((inner) => listSchemas(inner as JsonSchema))]
}

test('formats and patterns of a text are checked only if its length is valid', (t) => {
  const schemas = methods.flatMap(({ input }) => listSchemas(requestSchema(registry, input)))
  const limited = schemas.filter(({ maxLength }) => maxLength !== undefined)
  t.true(limited.length > 50)
  for (const schema of limited) {
    t.is(schema.format ?? schema.pattern, undefined, JSON.stringify(schema))
    t.deepEqual(schema.if, { minLength: Number(schema.maxLength) + 1 })
  }
})

test('a text that is too long is reported as such, and takes no longer than another one', (t) => {
  const invite = methods.find(({ key }) => key === 'inviteMember')
  if (!invite) throw new Error('No such method')
  const validate = createValidator(registry, invite)
  const workspace_id = 'f8e1572e-33cb-4304-a2f6-032bcbfe9088'
  const findViolations = (email: string) => {
    try {
      validate({ workspace_id, role: 'viewer', email })
      return []
    } catch (error) {
      return ServiceError.from(error).violations
    }
  }
  const measure = (email: string) => {
    const times = Array.from({ length: 5 }, () => {
      const before = process.threadCpuUsage()
      t.deepEqual(findViolations(email), [
        { field: 'email', message: 'must be at most 254 characters long' },
      ])
      const { user, system } = process.threadCpuUsage(before)
      return user + system
    })
    return Math.min(...times)
  }
  t.deepEqual(findViolations('someone@example.com'), [])
  const length = 4_000_000
  const plain = measure('x'.repeat(length))
  t.true(measure('@'.repeat(length)) < 20 * plain + 20_000)
})

test('a violation of a keyword without a message is reported, too', (t) => {
  const properties = { color: { const: 'red' }, count: { if: { minimum: 1 }, else: false } }
  const findViolations = compileSchema({ type: 'object', properties })
  t.deepEqual(findViolations({ color: 'red', count: 1 }), [])
  t.deepEqual(findViolations({ color: 'blue', count: 0 }), [
    { field: 'color', message: 'is invalid' },
    { field: 'count', message: 'is invalid' },
  ])
})
