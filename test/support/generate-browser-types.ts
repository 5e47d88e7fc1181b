import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { createOpenApi } from '../../src/http/openapi/openapi.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { createOperations } from '../../src/rpc/operation.ts'
import { createHandlers } from '../../src/server/handlers.ts'

/**
 * `node generate-browser-types.ts <file>`: generates TypeScript types from the OpenAPI document.
 */
const [file = ''] = process.argv.slice(2)

// openapi-typescript needs the compiler API of TypeScript 5, which TypeScript 7 no longer has.
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context),
})
const { astToString, default: describe } = await import('openapi-typescript')

const noDependencies = { database: {}, options: {} } as never
const registry = readRegistry()
const operations = createOperations(registry, createHandlers(noDependencies))
const document = createOpenApi(operations, registry, undefined)
// Otherwise, fields of requests that have a default would be required.
const options = { defaultNonNullable: false }
const types = astToString(await describe(JSON.parse(JSON.stringify(document)), options))
writeFileSync(file, `// Made by npm run generate.\n${types}`)
