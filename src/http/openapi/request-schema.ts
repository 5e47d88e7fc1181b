import type { DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { type JsonSchema, requestSchema } from '../../rpc/schema.ts'

type Published = { properties: Record<string, JsonSchema>; required: string[] }

/** Formats of our own, which other readers of JSON Schema do not know. */
const own = ['name', 'title', 'text', 'page_token', 'unicode']

/** A request's JSON Schema as it is published: unknown fields are ignored, so they are not refused. */
export function publishedSchema(registry: FileRegistry, message: DescMessage): Published {
  return publish(requestSchema(registry, message)) as Published
}

function publish(schema: JsonSchema): JsonSchema {
  // The bound that spares the items of an endless list concerns the one who validates.
  const { additionalProperties, if: _, else: rest, ...kept } = { ...schema }
  if (rest) Object.assign(kept, rest)
  if (own.includes(String(kept.format))) delete kept.format
  if (kept.items) kept.items = publish(kept.items as JsonSchema)
  if (kept.properties) {
    const properties = Object.entries(kept.properties as Record<string, JsonSchema>)
    kept.properties = Object.fromEntries(properties.map(([name, own]) => [name, publish(own)]))
  }
  return kept
}
