import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type BuiltPageOptions, createBuiltPage, sendText } from '../http/built-page.ts'
import { createHttpListener, type HttpListener } from '../http/listener.ts'
import { checkHost, deriveAllowedHosts } from '../http/security.ts'

export type ConsoleOptions = BuiltPageOptions & {
  /** The folder of the build; defaults to the build in this package. */
  folder?: string
  adminUrl: string
  /** The host and port at which services reach the gRPC server. */
  grpcAddress: string
  isGrpcEncrypted: boolean
  /** Allowed Host headers; `*` allows any. If empty, the hosts of `baseUrl` and `adminUrl`. */
  allowedHosts: string[]
  /** The ID of the client app of the workspace console. */
  workspaceClientId: string
  /** The identity providers that administrators can sign in with. */
  providers: { name: string; title: string }[]
  /** Whether people sign in with codes by e-mail. */
  hasCodes: boolean
  /** The names of what the server can do, by which the page chooses its screens. */
  features: string[]
}

/** The server of the static files of the admin console. */
export type ConsoleServer = HttpListener & { hasBuild: boolean }

const defaultFolder = join(import.meta.dirname, '../../console/dist')

/** Creates the server of the admin console: a single page and its assets, from memory. */
export function createConsoleServer(options: ConsoleOptions): ConsoleServer {
  const { baseUrl, adminUrl, debug, providers, folder = defaultFolder } = options
  const settings = {
    base_url: baseUrl,
    grpc_address: options.grpcAddress,
    grpc_encrypted: options.isGrpcEncrypted,
    debug,
    workspace_client_id: options.workspaceClientId,
    providers,
    has_codes: options.hasCodes,
    features: options.features,
  }
  const allowedHosts =
    options.allowedHosts.length > 0 ? options.allowedHosts : deriveAllowedHosts(baseUrl, adminUrl)
  const { headers, hasBuild, handle } = createBuiltPage(folder, settings, options)

  function handleChecked(request: IncomingMessage, response: ServerResponse): void {
    const error = checkHost(request, allowedHosts)
    if (!error) {
      handle(request, response)
      return
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    sendText(response, 400, error.message)
  }

  return { ...createHttpListener(handleChecked, headers), hasBuild }
}
