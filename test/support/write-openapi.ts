import { writeFileSync } from 'node:fs'
import { createOpenApi } from '../../src/http/openapi/openapi.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { createOperations } from '../../src/rpc/operation.ts'
import { createHandlers } from '../../src/server/handlers.ts'

/** `node write-openapi.ts <file>`: writes the OpenAPI document of the default settings. */
const [file = ''] = process.argv.slice(2)

const noDependencies = { database: {}, options: {} } as never
const registry = readRegistry()
const operations = createOperations(registry, createHandlers(noDependencies))
writeFileSync(file, JSON.stringify(createOpenApi(operations, registry, 30), null, 2))
