import type { FileRegistry } from '@bufbuild/protobuf'
import type { DeclaredOperation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { createHttpListener, type HttpListener } from './listener.ts'
import { createDocs } from './openapi/docs-pages.ts'
import { createOpenApi } from './openapi/openapi.ts'
import { createApp, type RestOptions } from './routes.ts'
import { deriveAllowedHosts, securityHeaders } from './security.ts'

export type RestServerOptions = Omit<RestOptions, 'adminOrigin' | 'docs'> & {
  baseUrl: string
  adminUrl: string
  /** Whether to serve the API documentation. */
  debug: boolean
  /** Requests per minute and client, for the API documentation; undefined if limits are off. */
  globalLimit: number | undefined
}

/** Creates the server of the REST API and its documentation. */
export function createRestServer(
  operations: DeclaredOperation[],
  registry: FileRegistry,
  pipeline: Pipeline,
  options: RestServerOptions,
): HttpListener {
  const { baseUrl, adminUrl, debug, globalLimit, secureCookies } = options
  const allowedHosts =
    options.allowedHosts.length > 0 ? options.allowedHosts : deriveAllowedHosts(baseUrl, adminUrl)
  const app = createApp(operations, pipeline, {
    ...options,
    allowedHosts,
    adminOrigin: new URL(adminUrl).origin,
    docs: debug ? createDocs(() => createOpenApi(operations, registry, globalLimit)) : [],
  })
  return createHttpListener(app, securityHeaders(secureCookies))
}
