import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { methodComment } from '../src/http/openapi/proto-comment.ts'
import { createSchemas } from '../src/http/openapi/schemas.ts'
import { readRegistry } from '../src/rpc/descriptors.ts'
import { readStreams } from '../src/rpc/method.ts'
import type { JsonSchema } from '../src/rpc/schema.ts'
import { describeApi } from './openapi-document.ts'

type Schemas = Record<string, JsonSchema>

/** What the API pages call the security schemes of the OpenAPI document. */
const credentials: Record<string, string> = {
  accessToken: 'access token',
  serviceKey: 'service key',
  bearerServiceKey: 'service key in `authorization: Bearer`',
  clientSecret: 'client ID and secret',
  adminCookie: 'admin token',
  managementToken: 'management token',
}

/**
 * Writes a page for each service, from the OpenAPI document and, for streams, from the proto. The
 * many methods of AdminService have a page for each collection.
 */
export function writeReference(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const api = JSON.parse(JSON.stringify(describeApi()))
  const { schemas } = api.components
  const streams = renderStreams()
  for (const { name, description } of api.tags) {
    const service = name === 'Health' ? name : `${name}Service`
    for (const [title, methods] of Object.entries(groupMethods(api.paths, name, service))) {
      const page = [
        '---\neditLink: false\n---',
        `# ${title}`,
        toMarkdown(description),
        'Credentials, errors, paging and limits are described in [API](../../docs/api.md).',
        ...[...methods.values()].map((routes) => renderMethod(routes, schemas)),
        ...(streams[service] ?? []),
      ]
      writeFileSync(join(folder, `${title.replace(': ', '-')}.md`), `${page.join('\n\n')}\n`)
    }
  }
}

type RestOperation = { verb: string; path: string; operation: any }

/** Returns the methods of a tag, each with all of its routes, by the title of their page. */
function groupMethods(paths: Record<string, object>, tag: string, service: string) {
  const pages: Record<string, Map<string, RestOperation[]>> = {}
  for (const [path, item] of Object.entries(paths)) {
    for (const [verb, operation] of Object.entries<any>(item)) {
      if (!operation.tags.includes(tag)) continue
      const [, collection] = /^\/admin\/([^/]+)/.exec(path) ?? []
      const title = collection ? `${service}: ${collection}` : service
      pages[title] ??= new Map()
      const methods = pages[title]
      const method = operation.operationId.split('_').slice(0, 2).join('_')
      methods.set(method, [...(methods.get(method) ?? []), { verb, path, operation }])
    }
  }
  return pages
}

function renderMethod(routes: RestOperation[], schemas: Schemas): string {
  const [{ operation }] = routes as [RestOperation]
  const body: any = Object.entries(operation.requestBody?.content ?? {})[0]
  const success: any = Object.values(operation.responses)[0]
  const [type, response]: any = Object.entries(success.content ?? {})[0] ?? []
  const parameters = operation.parameters?.map(({ name, in: place, required, ...parameter }: any) =>
    row(name, parameter.schema ?? {}, `${place}${required ? ', required' : ''}`, parameter),
  )
  const fields = body ? listFields(body[1].schema, schemas, true) : []
  const alternatives = operation.security.map((needed: object) =>
    Object.keys(needed)
      .map((name) => credentials[name])
      .join(' and '),
  )
  const [service, method] = operation.operationId.split('_')
  return [
    `## ${operation.summary}`,
    [
      ...routes.map(({ verb, path }) => `- \`${verb.toUpperCase()} ${path}\``),
      ...(method ? [`- gRPC \`daikon.v1.${service}/${method}\``] : []),
      `- Requires ${alternatives.join(' or ') || 'no credentials'}`,
    ].join('\n'),
    toMarkdown(operation.description),
    ...table('Request', [...(parameters ?? []), ...fields]),
    ...example(body?.[0], body?.[1].example),
    ...table('Response', response ? listFields(response.schema, schemas, false) : []),
    ...example(type, response?.example),
  ].join('\n\n')
}

/** Returns the streams that have no route, by service. */
function renderStreams(): Record<string, string[]> {
  const registry = readRegistry()
  const { schemas, refer } = createSchemas(registry)
  const sections: Record<string, string[]> = {}
  for (const { descriptor, kind, input, output } of readStreams(registry)) {
    const service = descriptor.parent.name
    const { summary, description } = methodComment(descriptor)
    const section = [
      `## ${summary}`,
      `- gRPC \`daikon.v1.${service}/${descriptor.name}\`, ${kind.replace('_', ' ')}`,
      toMarkdown(description),
      ...table('Request', listFields(refer(input), schemas, false)),
      ...table('Response', listFields(refer(output), schemas, false)),
    ]
    sections[service] = [...(sections[service] ?? []), section.join('\n\n')]
  }
  return sections
}

/** Lists the fields of a schema and, with dotted names, of the objects in it. */
function listFields(
  schema: JsonSchema,
  schemas: Schemas,
  marksRequired: boolean,
  prefix = '',
  within: unknown[] = [],
): string[] {
  const resolved: any = resolve(schema, schemas)
  if (typeOf(resolved) === 'array') {
    return listFields(resolved.items, schemas, marksRequired, `${prefix}[]`, within)
  }
  if (within.includes(resolved)) return []
  const names = Object.keys(resolved.properties ?? {})
  return names.flatMap((name) => {
    const field = resolved.properties[name]
    const path = prefix ? `${prefix}.${name}` : name
    const note = marksRequired && resolved.required?.includes(name) ? 'required' : ''
    return [
      row(path, resolve(field, schemas), note, field),
      ...listFields(field, schemas, marksRequired, path, [...within, resolved]),
    ]
  })
}

/** Follows a reference, also of a field that may be null. */
function resolve(schema: any, schemas: Schemas): JsonSchema {
  const [nullable] = schema.anyOf ?? []
  if (nullable && schema.anyOf.at(-1).type === 'null') return resolve(nullable, schemas)
  return schemas[schema.$ref?.split('/').at(-1)] ?? schema
}

function typeOf({ type }: any): string | undefined {
  return [type].flat().find((name) => name !== 'null')
}

function row(name: string, schema: any, note: string, { description = '' }: any): string {
  const { format, items = {} } = schema
  const type = typeOf(schema) ?? 'any'
  const kind = type === 'array' ? `list of ${typeOf(items) ?? 'object'}` : (format ?? type)
  return `| \`${name}\` | ${[kind, note].filter(Boolean).join(', ')} | ${toMarkdown(description)
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n+/g, '<br>')} |`
}

function table(title: string, rows: string[]): string[] {
  if (rows.length === 0) return []
  return [`**${title}**`, ['| Field | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n')]
}

function example(type: string | undefined, value: unknown): string[] {
  if (value === undefined) return []
  return type === 'application/json'
    ? [`\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``]
    : []
}

/** Comments in the proto are Markdown without HTML. */
function toMarkdown(text: string): string {
  return text.replaceAll(/(`[^`]*`)|</g, (found, code) => code ?? found.replace('<', '&lt;'))
}
