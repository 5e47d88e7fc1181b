import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

/** How a client signs people in: it keeps its tokens in memory, and meets the browser on the loopback interface. */
export type SignIn = {
  provider: OAuthClientProvider
  /** Returns the parameters with which the browser comes back. */
  waitForCallback(): Promise<URLSearchParams>
  close(): void
}

/**
 * Prepares the sign-in of a client.
 *
 * @param clientId the URL of the document in which the client describes itself, or the ID of a client app of daikon
 * @param port the port of the redirect address, or 0 for any: daikon ignores the ports of loopback addresses
 * @param open opens the browser
 */
export async function prepareSignIn(
  clientId: string,
  port: number,
  open: (url: URL) => void,
): Promise<SignIn> {
  let arrive: (parameters: URLSearchParams) => void = () => {}
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (pathname !== '/callback') return void response.writeHead(404).end()
    response.end('You are signed in. You can close this window.')
    arrive(searchParams)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`

  // The SDK uses the URL if the authorization server knows clients by their URL.
  const isUrl = clientId.startsWith('https:')
  let client: StoredOAuthClientInformation | undefined = isUrl ? undefined : { client_id: clientId }
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  let state = ''
  let discovery: OAuthDiscoveryState | undefined
  let callback = Promise.resolve(new URLSearchParams())
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    ...(isUrl && { clientMetadataUrl: clientId }),
    clientInformation: () => client,
    saveClientInformation(saved) {
      client = saved
    },
    state() {
      state = crypto.randomUUID()
      return state
    },
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved
    },
    codeVerifier: () => verifier,
    saveCodeVerifier(saved) {
      verifier = saved
    },
    discoveryState: () => discovery,
    saveDiscoveryState(saved) {
      discovery = saved
    },
    redirectToAuthorization(url) {
      callback = new Promise((resolve) => {
        arrive = resolve
      })
      open(url)
    },
  }
  return {
    provider,
    async waitForCallback() {
      const parameters = await callback
      if (parameters.get('state') !== state) throw new Error('The answer is not to this request')
      return parameters
    },
    close: () => void server.close(),
  }
}
