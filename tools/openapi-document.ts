import { createOpenApi } from '../src/http/openapi/openapi.ts'
import { readRegistry } from '../src/rpc/descriptors.ts'
import type { HandlerTable } from '../src/rpc/handler.ts'
import { createOperations, createWatches } from '../src/rpc/operation.ts'
import { reasons } from '../src/server/reasons.ts'
import { restFormats } from '../src/server/rest-formats.ts'

/**
 * Returns the OpenAPI document. It describes methods by their declarations, so a new method is
 * documented before it has a handler.
 */
export function describeApi(globalLimit?: number): object {
  const handler = () => Promise.reject(new Error('This handler is never called'))
  const service = new Proxy({}, { get: () => handler })
  const handlers: HandlerTable = new Proxy({}, { get: () => service })
  const registry = readRegistry()
  const operations = [...createOperations(registry, handlers), ...createWatches(registry, handlers)]
  return createOpenApi(operations, registry, globalLimit, reasons, restFormats)
}
