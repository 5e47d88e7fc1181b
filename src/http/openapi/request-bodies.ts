import type { DeclaredOperation } from '../../rpc/operation.ts'
import type { JsonSchema } from '../../rpc/schema.ts'
import type { ExampleMaker } from './examples.ts'

/** A request's body as OpenAPI has it: JSON, and a file where one may take the place of a field. */
export function describeBody(
  { policy: { upload }, input }: DeclaredOperation,
  schema: JsonSchema & { required: string[] },
  makeExample: ExampleMaker,
): object {
  const example = makeExample(schema, '', input.name) as Record<string, unknown>
  const content: Record<string, object> = { 'application/json': { schema, example } }
  if (upload) {
    const { field, mediaType, part, largest } = upload
    const description = `UTF-8 text of at most ${largest} bytes`
    content['multipart/form-data'] = {
      schema: {
        type: 'object',
        properties: { [part]: { type: 'string', format: 'binary', description } },
        required: [part],
      },
      encoding: { [part]: { contentType: mediaType } },
    }
    const file = { type: 'string', description }
    content[mediaType] = { schema: file, example: example[field] }
  }
  return { required: schema.required.length > 0, content }
}
