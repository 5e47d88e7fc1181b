import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { createOpenApi } from '../../src/http/openapi/openapi.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { createOperations } from '../../src/rpc/operation.ts'
import { createHandlers } from '../../src/server/handlers.ts'

/** `node browser-types.ts <file>`: the façade's types for browsers, of its OpenAPI document. */
const [file = ''] = process.argv.slice(2)

// openapi-typescript writes with the compiler's old interface, which TypeScript 7 has no more.
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context),
})
const { astToString, default: describe } = await import('openapi-typescript')

const noDependencies = { database: {}, options: {} } as never
const registry = readRegistry()
const operations = createOperations(registry, createHandlers(noDependencies))
const document = createOpenApi(operations, registry, undefined)
const types = astToString(await describe(JSON.parse(JSON.stringify(document))))
writeFileSync(file, `// Made by npm run generate.\n${types}`)
