import type { FileRegistry } from '@bufbuild/protobuf'
import type { DeclaredOperation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { createFacade, type FacadeOptions } from './facade.ts'
import { securityHeaders } from './headers.ts'
import { allowedHosts } from './hosts.ts'
import { createDocs } from './openapi/docs-pages.ts'
import { createOpenApi } from './openapi/openapi.ts'
import { createHttpServer, type HttpServer } from './server.ts'

/** What the outside door is told of the settings. */
export type RestServerOptions = Omit<FacadeOptions, 'adminOrigin' | 'docs'> & {
  baseUrl: string
  adminUrl: string
  /** Whether there are docs. */
  debug: boolean
  /** Requests a minute, for the docs; undefined where nothing is limited. */
  globalLimit: number | undefined
}

/** The façade with its docs at a server of its own; not listening yet. */
export function createRestServer(
  operations: DeclaredOperation[],
  registry: FileRegistry,
  pipeline: Pipeline,
  options: RestServerOptions,
): HttpServer {
  const { baseUrl, adminUrl, debug, globalLimit, secureCookies } = options
  const describe = () => createOpenApi(operations, registry, globalLimit)
  const facade = createFacade(operations, pipeline, {
    ...options,
    allowedHosts: allowedHosts(options.allowedHosts, baseUrl, adminUrl),
    adminOrigin: new URL(adminUrl).origin,
    docs: debug ? createDocs(describe) : [],
  })
  return createHttpServer(facade, securityHeaders(secureCookies))
}
