import { randomUUID } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { Role } from '../../src/core/roles.ts'
import { createAdmin } from './admin.ts'
import type { DnsServer } from './dns-server.ts'
import { readPage } from './oauth.ts'
import { expectOk } from './outcome.ts'
import { followRedirects } from './providers/browser-flow.ts'
import { startMockAuthority } from './providers/mock-authority.ts'
import { appUri, createPkce, createSignInEnvironment } from './sign-in.ts'
import type { Outcome, Transport } from './transports.ts'

/** Creates an environment in which workspaces can be connected to identity providers. */
export async function createConnectionEnvironment(
  options: NonNullable<Parameters<typeof createSignInEnvironment>[0]>['options'] = {},
) {
  const environment = await createSignInEnvironment({ options })
  return { ...environment, admin: await createAdmin(environment) }
}

export type ConnectionEnvironment = Awaited<ReturnType<typeof createConnectionEnvironment>>

/** A workspace with a connection to a mock provider. */
export type ConnectedWorkspace = Awaited<ReturnType<typeof connectWorkspace>>

/**
 * Connects a new workspace, whose domain is verified, to a mock provider. `settings` override those of
 * the connection.
 */
export async function connectWorkspace(
  t: ExecutionContext,
  environment: ConnectionEnvironment,
  transport: Transport,
  settings: Record<string, unknown> = {},
) {
  const domain = `${randomUUID()}.example`
  const authority = await startMockAuthority(t)
  const connected = await connectToProvider(environment, transport, domain, {
    ...{ issuer: authority.url, client_id: 'daikon', client_secret: 'secret', ...settings },
  })
  return {
    ...connected,
    authority,
    /** Makes the provider assert a person with this address, who always has the same subject. */
    assert(local: string, claims: Record<string, unknown> = {}): string {
      const email = `${local}@${domain}`
      const profile = { sub: `sub-${local}`, email, email_verified: true, name: local }
      authority.claims = { ...profile, ...claims }
      return email
    },
  }
}

/** Connects a new workspace to the provider that `settings` name, and verifies its domain. */
export async function connectToProvider(
  environment: Pick<ConnectionEnvironment, 'seed' | 'dns' | 'admin'>,
  transport: Transport,
  domain: string,
  settings: Record<string, unknown>,
) {
  const { seed, dns, admin } = environment
  const workspace_id = await seed.workspace()
  const owner = await seed.newMember(workspace_id, 'owner', 'owner')
  const connection = expectOk(
    await admin.call(transport, 'CreateConnection', {
      ...{ workspace_id, name: 'Corp', domains: [domain], scopes: [], ...settings },
    }),
  )
  const connection_id: string = connection.id
  const ids = { workspace_id, connection_id }
  publish(dns, connection.domains)
  expectOk(await admin.call(transport, 'VerifyConnectionDomain', { ...ids, domain }))
  return {
    ...{ workspace_id, connection_id, ids, domain, owner, connection },
    provider: `connection:${connection_id}`,
    async change(changes: Record<string, unknown>) {
      const lists = { scopes: [], domains: [] }
      return admin.call(transport, 'UpdateConnection', { ...ids, ...lists, ...changes })
    },
    addMember: (role: Role, local: string, row: Record<string, unknown> = {}) =>
      addMember(environment, workspace_id, role, `${local}@${domain}`, row),
  }
}

/** Creates the TXT records that the response of a connection asks for. */
export function publish(dns: DnsServer, domains: { txt_host: string; txt_value: string }[]) {
  for (const { txt_host, txt_value } of domains)
    dns.records.set(txt_host, ['v=spf1 -all', txt_value])
}

async function addMember(
  { seed }: Pick<ConnectionEnvironment, 'seed'>,
  workspace: string,
  role: Role,
  email: string,
  row: Record<string, unknown>,
) {
  const id = await seed.user('member', { email })
  await seed.member(workspace, id, role, row)
  return id
}

/** Begins a sign-in through a connection, and confirms it on the page that asks first. */
export async function beginAtConnection(
  transport: Transport,
  method: string,
  message: Record<string, unknown>,
) {
  const asking = expectOk(await transport.call(method, message))
  if (asking.location) return asking
  const [url] = readPage(asking).urls
  const confirmed = Object.fromEntries(url?.searchParams ?? [])
  const { browser } = asking
  return expectOk(await transport.call(method, { ...message, ...confirmed, browser }))
}

/** Signs in through a connection and returns the response of the callback, with the PKCE verifier. */
export async function signInByConnection(
  transport: Transport,
  { provider }: Pick<ConnectedWorkspace, 'provider'>,
  alter: (callback: Record<string, string>) => Record<string, string> = (callback) => callback,
) {
  const { verifier, challenge } = createPkce()
  const request = { redirect_uri: appUri, code_challenge: challenge, code_challenge_method: 'S256' }
  const begun = await beginAtConnection(transport, 'BeginLogin', { provider, ...request })
  // Without a state, the location is the client app with an error.
  if (!begun.login_state) return { outcome: { ok: true, message: begun } as Outcome, verifier }
  const callbackUrl = `http://localhost:8000/auth/callback/${provider}`
  const { callback } = await followRedirects(begun.location, callbackUrl, { hint: '' })
  const message = alter(Object.fromEntries(callback))
  const completed = { provider, ...message, login_state: begun.login_state }
  return { outcome: await transport.call('CompleteLogin', completed), verifier }
}

/** Signs in through a connection and returns the code, or the error in the redirect to the client app. */
export async function obtainConnectionCode(
  transport: Transport,
  connected: Pick<ConnectedWorkspace, 'provider'>,
) {
  const { outcome, verifier } = await signInByConnection(transport, connected)
  const { searchParams } = new URL(expectOk(outcome).location)
  return { code: searchParams.get('code'), error: searchParams.get('error'), verifier }
}

/** Signs in through a connection and exchanges the code for tokens. */
export async function obtainConnectionTokens(
  transport: Transport,
  connected: Pick<ConnectedWorkspace, 'provider' | 'workspace_id'>,
) {
  const { code, error, verifier } = await obtainConnectionCode(transport, connected)
  if (error) throw new Error(error)
  const { workspace_id } = connected
  const exchange = { code, workspace_id, code_verifier: verifier }
  return expectOk(await transport.call('ExchangeToken', exchange))
}
