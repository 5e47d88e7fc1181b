import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMockGithub } from './mock-github.ts'
import { createMockOidc, createSigningKey } from './mock-oidc.ts'
import { type MockClient, type MockPerson, providerIds } from './mock-person.ts'
import { sendPage } from './pages.ts'

export type { MockClient, MockPerson }

/** A server that mocks Google, Microsoft, GitHub and the OpenID Connect provider of a company. */
export type MockProviders = {
  url: string
  /** The environment variables that make daikon use the mock providers. */
  environment: Record<
    | `${'GOOGLE' | 'MICROSOFT' | 'GITHUB' | 'OIDC'}_CLIENT_${'ID' | 'SECRET'}`
    | `${'GOOGLE' | 'MICROSOFT' | 'OIDC'}_ISSUER`
    | 'OIDC_NAME'
    | 'GITHUB_URL'
    | 'GITHUB_API_URL',
    string
  >
  close(): Promise<void>
}

/** The Microsoft tenant ID of every mock account. */
export const mockTenant = '7e57ab1e-0000-4000-8000-0000000da1c0'

/** Starts the mock providers on 127.0.0.1, for development and tests. Port 0 picks a free port. */
export async function startMockProviders({
  port = 0,
  people,
  client,
}: {
  port?: number
  people: MockPerson[]
  client: MockClient
}): Promise<MockProviders> {
  // A busy process would close an idle connection while its client, a part of the same process, sends a request.
  const server = createServer({ keepAliveTimeout: 0 })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const handle = await createHandler(url, client, people)
  server.on('request', async (request, response) => {
    try {
      await handle(request, response)
    } catch (error) {
      if (response.headersSent) return response.destroy()
      const body = `<p>${(error as Error).name}: the page may have been open for too long.</p>`
      sendPage(response, 400, 'Start the sign-in again', body)
    }
  })
  return {
    url,
    environment: {
      GOOGLE_CLIENT_ID: client.id,
      GOOGLE_CLIENT_SECRET: client.secret,
      GOOGLE_ISSUER: `${url}/google`,
      MICROSOFT_CLIENT_ID: client.id,
      MICROSOFT_CLIENT_SECRET: client.secret,
      MICROSOFT_ISSUER: `${url}/microsoft/{tenant}/v2.0`,
      GITHUB_CLIENT_ID: client.id,
      GITHUB_CLIENT_SECRET: client.secret,
      GITHUB_URL: `${url}/github`,
      GITHUB_API_URL: `${url}/github/api`,
      OIDC_CLIENT_ID: client.id,
      OIDC_CLIENT_SECRET: client.secret,
      OIDC_ISSUER: `${url}/company`,
      OIDC_NAME: companyLike.title,
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

async function createHandler(
  url: string,
  client: MockClient,
  people: MockPerson[],
): Promise<Handler> {
  const options = { client, people, key: await createSigningKey() }
  const tenantIssuer = `${url}/microsoft/${mockTenant}/v2.0`
  const google = await createMockOidc({ ...googleLike, issuer: `${url}/google` }, options)
  const microsoft = await createMockOidc({ ...microsoftLike, issuer: tenantIssuer }, options)
  const company = await createMockOidc({ ...companyLike, issuer: `${url}/company` }, options)
  const github = createMockGithub({ url: `${url}/github`, client, people })

  return async (request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/google/')) return google(request, response)
    if (path.startsWith('/company/')) return company(request, response)
    if (path.startsWith('/github/')) return github(request, response)
    const [, tenant, rest] = /^\/microsoft\/(common|organizations)(\/v2\.0\/.*)$/.exec(path) ?? []
    if (rest?.startsWith('/v2.0/.well-known/')) {
      const discovery = await fetch(`${tenantIssuer}${rest.slice('/v2.0'.length)}`)
      // For a shared tenant, Entra ID returns a template as the issuer and does not advertise PKCE.
      const { code_challenge_methods_supported: _, ...document } =
        (await discovery.json()) as Record<string, unknown>
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...document, issuer: `${url}/microsoft/{tenantid}/v2.0` }))
      return
    }
    if (tenant) request.url = `/microsoft/${mockTenant}${rest}`
    if (request.url?.startsWith('/microsoft/')) return microsoft(request, response)
    sendPage(response, 404, 'Not found', '')
  }
}

/** Splits a name like `Ann Example`. Claims of a single name are omitted. */
function splitName(name: string) {
  const [, given_name, family_name] = /^(\S+) (.+)$/.exec(name) ?? []
  return { given_name, family_name }
}

/** The claims of the scopes `email` and `profile` (OpenID Connect Core 1.0, 5.4). */
function standardClaims({ email, name, verified = true }: MockPerson) {
  return { email, email_verified: verified, name, ...splitName(name) }
}

const googleLike = {
  title: 'Google',
  claims: {
    openid: ['sub', 'amr'],
    email: ['email', 'email_verified'],
    profile: ['name', 'given_name', 'family_name', 'picture', 'hd'],
  },
  claimsOf: (person: MockPerson) => ({
    sub: providerIds(person).sub,
    ...standardClaims(person),
    hd: person.hostedDomain,
  }),
}

const companyLike = {
  title: 'Example Company',
  claims: {
    openid: ['sub', 'amr'],
    email: ['email', 'email_verified'],
    profile: ['name', 'given_name', 'family_name', 'picture'],
  },
  claimsOf: (person: MockPerson) => ({
    sub: providerIds(person).oid,
    ...standardClaims(person),
  }),
}

const microsoftLike = {
  title: 'Microsoft',
  claims: {
    openid: ['sub', 'tid', 'oid'],
    email: ['email', 'xms_edov'],
    profile: ['name', 'preferred_username'],
  },
  claimsOf: (person: MockPerson) => ({
    sub: `${providerIds(person).sub}-pairwise`,
    tid: mockTenant,
    oid: providerIds(person).oid,
    email: person.email,
    // Entra ID omits this optional claim if the address is not verified.
    xms_edov: (person.verified ?? true) || undefined,
    name: person.name,
    preferred_username: person.email,
  }),
}
