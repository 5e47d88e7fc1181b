import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLocalGithub } from './mock-github.ts'
import { createLocalOidc, makeSigningKey } from './mock-oidc.ts'
import { sendPage } from './mock-page.ts'
import { idsOf, type LocalClient, type LocalPerson } from './mock-person.ts'

export type { LocalClient, LocalPerson }

/** A provider on this machine that stands in for Google, Microsoft and GitHub. */
export type LocalProvider = {
  url: string
  /** What daikon's environment needs to sign in there, client id and secret included. */
  environment: Record<
    | `${'GOOGLE' | 'MICROSOFT' | 'GITHUB'}_CLIENT_${'ID' | 'SECRET'}`
    | `${'GOOGLE' | 'MICROSOFT'}_ISSUER`
    | 'GITHUB_URL'
    | 'GITHUB_API_URL',
    string
  >
  close(): Promise<void>
}

/** The tenant of everybody at the Microsoft-like issuer. */
export const localTenant = '7e57ab1e-0000-4000-8000-0000000da1c0'

/** Starts it on 127.0.0.1; port 0 picks a free one. For development and tests only. */
export async function startLocalProvider({
  port = 0,
  people,
  client,
}: {
  port?: number
  people: LocalPerson[]
  client: LocalClient
}): Promise<LocalProvider> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const handle = await createHandler(url, client, people)
  server.on('request', async (request, response) => {
    try {
      await handle(request, response)
    } catch (error) {
      // An interaction that is over, most of all: the page was left open too long.
      if (response.headersSent) response.destroy()
      else sendPage(response, 400, 'Please start again', `<!-- ${(error as Error).name} -->`)
    }
  })
  const [id, secret] = [client.id, client.secret]
  return {
    url,
    environment: {
      ...{ GOOGLE_CLIENT_ID: id, GOOGLE_CLIENT_SECRET: secret, GOOGLE_ISSUER: `${url}/google` },
      ...{ MICROSOFT_CLIENT_ID: id, MICROSOFT_CLIENT_SECRET: secret },
      MICROSOFT_ISSUER: `${url}/microsoft/{tenant}/v2.0`,
      ...{ GITHUB_CLIENT_ID: id, GITHUB_CLIENT_SECRET: secret, GITHUB_URL: `${url}/github` },
      GITHUB_API_URL: `${url}/github/api`,
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The three doors behind one port. */
async function createHandler(
  url: string,
  client: LocalClient,
  people: LocalPerson[],
): Promise<Handler> {
  const parts = { client, people, key: await makeSigningKey() }
  const tenantIssuer = `${url}/microsoft/${localTenant}/v2.0`
  const google = await createLocalOidc({ ...googleLike, issuer: `${url}/google` }, parts)
  const microsoft = await createLocalOidc({ ...microsoftLike, issuer: tenantIssuer }, parts)
  const github = createLocalGithub({ url: `${url}/github`, client, people })

  return async (request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/google/')) return google(request, response)
    if (path.startsWith('/github/')) return github(request, response)
    const [, tenant, rest] = /^\/microsoft\/(common|organizations)(\/v2\.0\/.*)$/.exec(path) ?? []
    if (rest?.startsWith('/v2.0/.well-known/')) {
      const document = await (await fetch(`${tenantIssuer}${rest.slice('/v2.0'.length)}`)).json()
      response.writeHead(200, { 'content-type': 'application/json' })
      // Entra names a template here, and says nothing of PKCE although it takes it.
      const { code_challenge_methods_supported: _, ...shown } = document as Record<string, unknown>
      response.end(JSON.stringify({ ...shown, issuer: `${url}/microsoft/{tenantid}/v2.0` }))
      return
    }
    if (tenant) request.url = `/microsoft/${localTenant}${rest}`
    if (request.url?.startsWith('/microsoft/')) return microsoft(request, response)
    sendPage(response, 404, 'Not found', '')
  }
}

const googleLike = {
  title: 'Google',
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['name', 'picture', 'hd'],
  },
  claimsOf: (person: LocalPerson) => ({
    sub: idsOf(person).sub,
    email: person.email,
    email_verified: person.verified ?? true,
    name: person.name,
    hd: person.hostedDomain,
  }),
}

const microsoftLike = {
  title: 'Microsoft',
  claims: {
    openid: ['sub', 'tid', 'oid'],
    email: ['email', 'xms_edov'],
    profile: ['name', 'preferred_username'],
  },
  claimsOf: (person: LocalPerson) => ({
    sub: `${idsOf(person).sub}-pairwise`,
    tid: localTenant,
    oid: idsOf(person).oid,
    email: person.email,
    // Absent when nobody vouches, as from an app without the optional claim.
    xms_edov: (person.verified ?? true) || undefined,
    name: person.name,
    preferred_username: person.email,
  }),
}
