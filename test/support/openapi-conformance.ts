import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Route } from '../../src/rpc/method.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { describeApi } from '../../tools/openapi-document.ts'

/** Validates a value against a schema, following `$ref`. Returns the errors, if any. */
export type SchemaValidator = (schema: object, value: unknown) => string | undefined

const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  email: /^\S+@\S+$/,
  binary: true,
} as const

/** Creates a validator for the schemas of an OpenAPI document, which throws on invalid schemas unless told not to. */
export function createSchemaValidator(
  { components }: { components: object },
  validateSchema = true,
): SchemaValidator {
  const lenient = { strictSchema: false, strictTypes: false, validateSchema }
  const ajv = new Ajv2020({ allErrors: true, formats, ...lenient })
  // Once: as a part of each schema, all components would be read for each one.
  ajv.addSchema({ components }, 'api')
  const compile = (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/')))
  const compiled = new Map<object, ReturnType<typeof compile>>()
  return (schema, value) => {
    const known = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, known)
    return known(value) ? undefined : ajv.errorsText(known.errors)
  }
}

/** Returns the JSON Schema of a request body, to which the document refers. */
export function findBodySchema(document: any, path: string, verb: string): any {
  const { schema } = document.paths[path][verb].requestBody.content['application/json']
  return document.components.schemas[schema.$ref.split('/').at(-1)]
}

/** The same for all nodes of a test file. */
let published: ReturnType<typeof publish> | undefined

/** Throws on a REST response whose status or body /openapi.json does not describe. */
export async function checkConformance(
  { name }: DeclaredOperation,
  route: Route,
  response: Response,
): Promise<void> {
  published ??= publish()
  const { document, fits } = published
  const { responses } = document.paths[route.path][route.verb]
  const described = responses[response.status]
  if (!described)
    throw new Error(`${name} returned ${response.status}, which /openapi.json does not describe`)
  const { content } = described.$ref ? document.components.responses[response.status] : described
  const text = await response.text()
  if (!content || text === '') return
  const [[type, { schema }]] = Object.entries(content) as [[string, { schema: object }]]
  if (type === 'text/html') return
  const validationErrors = fits(schema, JSON.parse(text))
  if (validationErrors)
    throw new Error(
      `${name} returned ${type} that does not match /openapi.json: ${validationErrors}`,
    )
}

/** Reads the document that `npm test` writes for all test files, or creates it. */
function publish() {
  const path = process.env.TEST_OPENAPI
  const document: any = path ? JSON.parse(readFileSync(path, 'utf8')) : describeApi()
  return { document, fits: createSchemaValidator(document, false) }
}
