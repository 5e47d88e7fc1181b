import { setMaxListeners } from 'node:events'
import type { FileRegistry } from '@bufbuild/protobuf'
import type { DeclaredOperation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { createRunWatch } from '../rpc/run-watch.ts'
import { createHttpListener, type HttpListener } from './listener.ts'
import { createDocs } from './openapi/docs-pages.ts'
import { createOpenApi } from './openapi/openapi.ts'
import type { ExampleReasons } from './openapi/problems.ts'
import { createApp, type RestOptions } from './routes.ts'
import { deriveAllowedHosts, securityHeaders } from './security.ts'

export type RestServerOptions = Omit<RestOptions, 'adminOrigin' | 'docs' | 'runWatch'> & {
  baseUrl: string
  adminUrl: string
  /** Whether to serve the API documentation. */
  debug: boolean
  /** Requests per minute and client, for the API documentation; undefined if limits are off. */
  globalLimit: number | undefined
  /** For the API documentation. */
  reasons: ExampleReasons
}

/** Creates the server of the REST API and its documentation. */
export function createRestServer(
  operations: DeclaredOperation[],
  registry: FileRegistry,
  pipeline: Pipeline,
  options: RestServerOptions,
): HttpListener {
  const { baseUrl, adminUrl, debug, globalLimit, reasons, secureCookies, watches, formats } =
    options
  const allowedHosts =
    options.allowedHosts.length > 0 ? options.allowedHosts : deriveAllowedHosts(baseUrl, adminUrl)
  const draining = new AbortController()
  setMaxListeners(0, draining.signal)
  const app = createApp(operations, pipeline, {
    ...options,
    allowedHosts,
    adminOrigin: new URL(adminUrl).origin,
    runWatch: createRunWatch(pipeline, draining.signal),
    docs: debug
      ? createDocs(() =>
          createOpenApi([...operations, ...watches], registry, globalLimit, reasons, formats),
        )
      : [],
  })
  const listener = createHttpListener(app, securityHeaders(secureCookies))
  return {
    ...listener,
    async drain(milliseconds, idleMilliseconds) {
      await listener.stopListening()
      draining.abort()
      return listener.drain(milliseconds, idleMilliseconds)
    },
  }
}
