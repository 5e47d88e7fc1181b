import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { keepConnections } from './keep-connections.ts'
import { createOAuthClient } from './oauth.ts'
import { createSignInEnvironment, type SignInEnvironmentOptions } from './sign-in.ts'

/** A server with a reachable issuer URL and one identity provider, for unmodified libraries. */
export type OAuthIssuer = Awaited<ReturnType<typeof startIssuer>>

const withGoogleAlone = {
  MICROSOFT_CLIENT_ID: '',
  GITHUB_CLIENT_ID: '',
  OIDC_CLIENT_ID: '',
  OIDC_ISSUER: '',
}

/**
 * Starts an issuer behind a proxy: the options of an environment include the issuer's URL, but the
 * port is only assigned later.
 */
export async function startIssuer(
  dependencies: SignInEnvironmentOptions['dependencies'] = {},
  {
    options,
    settings = withGoogleAlone,
  }: Pick<SignInEnvironmentOptions, 'options' | 'settings'> = {},
) {
  let port = 0
  const proxy = createServer(keepConnections, (incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const forwarded = request(
      { host: '127.0.0.1', port, method, path: url, headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      },
    )
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const issuer = `http://localhost:${(proxy.address() as AddressInfo).port}`
  const environment = await createSignInEnvironment({
    options: { ...options, BASE_URL: issuer },
    settings,
    dependencies,
  })
  port = environment.httpPort
  return {
    environment,
    issuer,
    createClient: (uri: string | string[], row: Record<string, unknown> = {}) =>
      createOAuthClient(environment, row, [uri].flat()),
    async stop() {
      proxy.closeAllConnections()
      proxy.close()
      await environment.stop()
    },
  }
}

/** Creates a store for the cookies of one origin. */
export function createCookieJar() {
  const jar = new Map<string, string>()
  return {
    header: () => [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
    read(response: Response) {
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '' || /max-age=0/i.test(line)) jar.delete(name)
        else jar.set(name, value)
      }
    },
  }
}

/** Follows redirects with cookies until a URL begins with `end`. Returns that URL. */
export async function follow(
  start: string | URL,
  end: string,
  jars = new Map<string, ReturnType<typeof createCookieJar>>(),
): Promise<URL> {
  let url = new URL(start)
  for (let redirects = 0; redirects < 20; redirects++) {
    if (url.href.startsWith(end)) return url
    const jar = jars.get(url.origin) ?? createCookieJar()
    jars.set(url.origin, jar)
    const response = await fetch(url, { headers: { cookie: jar.header() }, redirect: 'manual' })
    jar.read(response)
    const location = response.headers.get('location')
    if (!location) throw new Error(`${url} returned ${response.status}: ${await response.text()}`)
    url = new URL(location, url)
  }
  throw new Error(`too many redirects, last to ${url}`)
}

/** Starts a server for the callbacks of a client. Stops it after the test. */
export async function startCallbackServer(
  t: ExecutionContext,
  handle: RequestListener = (_request, response) => void response.end(),
): Promise<string> {
  const server = createServer(keepConnections, handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
