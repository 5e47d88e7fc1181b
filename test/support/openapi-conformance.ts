import { Ajv2020 } from 'ajv/dist/2020.js'
import { createOpenApi } from '../../src/http/openapi/openapi.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'

/** A value and the schema that it has to fit, `$ref`s and all; answers what is wrong, if anything. */
export type SchemaValidator = (schema: object, value: unknown) => string | undefined

const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  email: /^\S+@\S+$/,
  binary: true,
} as const

/** Fits values to the schemas of a document. */
export function createSchemaValidator({ components }: { components: object }): SchemaValidator {
  const ajv = new Ajv2020({ allErrors: true, formats, strictSchema: false, strictTypes: false })
  const compiled = new Map<object, ReturnType<typeof ajv.compile>>()
  return (schema, value) => {
    const known = compiled.get(schema) ?? ajv.compile({ ...schema, components })
    compiled.set(schema, known)
    return known(value) ? undefined : ajv.errorsText(known.errors)
  }
}

/** Throws on an answer of the façade that /openapi.json does not tell of: its status, then its body. */
export function createConformanceCheck(operations: DeclaredOperation[]) {
  let published: ReturnType<typeof publish> | undefined
  return async ({ route, name }: DeclaredOperation, answer: Response): Promise<void> => {
    published ??= publish(operations)
    const { document, fits } = published
    const { responses } = document.paths[route.path][route.verb]
    const described = responses[answer.status]
    if (!described) throw new Error(`${name} answers ${answer.status}, which is not published`)
    const { content } = described.$ref ? document.components.responses[answer.status] : described
    const text = await answer.text()
    if (!content || text === '') return
    const [[type, { schema }]] = Object.entries(content) as [[string, { schema: object }]]
    const wrong = fits(schema, JSON.parse(text))
    if (wrong) throw new Error(`${name} answers other ${type} than is published: ${wrong}`)
  }
}

function publish(operations: DeclaredOperation[]) {
  const document: any = createOpenApi(operations, readRegistry(), undefined)
  return { document, fits: createSchemaValidator(document) }
}
