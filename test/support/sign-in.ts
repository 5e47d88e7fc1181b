import { createHash, randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { type MockPerson, startMockProviders } from '../../src/dev/mock-providers.ts'
import { type ProviderName, providerNames } from '../../src/identity/providers/provider.ts'
import type { ProviderSettings } from '../../src/identity/providers/provider-settings.ts'
import { createProviders } from '../../src/identity/providers/providers.ts'
import { expectOk } from './outcome.ts'
import { followRedirects } from './providers/browser-flow.ts'
import { unconfigured } from './providers/test-provider.ts'
import { providerTimeout, startTestEnvironment, type TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'

/** The redirect URI of the client app that every sign-in environment has registered. */
export const appUri = 'https://app.example.com/done?from=daikon'

/** Starts an environment with one local mock for all providers. Users sign in by email address. */
export async function startSignInEnvironment(
  t: ExecutionContext,
  people: MockPerson[],
  options: Parameters<typeof startTestEnvironment>[0] = {},
): Promise<TestEnvironment> {
  const environment = await createSignInEnvironment({ people, options })
  t.teardown(() => environment.stop())
  return environment
}

/** The options of a sign-in environment. */
export type SignInEnvironmentOptions = {
  people?: MockPerson[]
  options?: Parameters<typeof startTestEnvironment>[0]
  /** Replaces the environment's own database. */
  databaseUrl?: string
  /** The database that is cloned. */
  template?: string
  /** Overrides the settings of the mock provider. */
  settings?: Partial<ProviderSettings>
  dependencies?: Parameters<typeof startTestEnvironment>[2]
}

/**
 * Creates a sign-in environment for all tests of a file. `addProviderUser` adds users as needed.
 */
export async function createSignInEnvironment({
  people = [],
  options,
  databaseUrl,
  template,
  settings,
  dependencies,
}: SignInEnvironmentOptions = {}) {
  // Makes Google authoritative for the addresses, so that every provider can link its account.
  for (const person of people) person.hostedDomain ??= 'example.com'
  const baseUrl = options?.BASE_URL ?? 'http://localhost:8000'
  const redirectUris = ['', 'admin/'].flatMap((flow) =>
    providerNames.map((name) => `${baseUrl}/auth/${flow}callback/${name}`),
  )
  const client = { id: 'daikon', secret: 'secret', redirectUris }
  const local = await startMockProviders({ people, client })
  const providerSettings = {
    ...unconfigured,
    ...local.environment,
    // Lets every provider link its account.
    OIDC_TRUST_EMAIL: true,
    ...settings,
  }
  const providers = createProviders(providerSettings, { timeout: providerTimeout })
  const environment = await startTestEnvironment(
    { ...providerSettings, ...options },
    databaseUrl,
    { providers, ...dependencies },
    undefined,
    template,
  )
  await environment.seed.clientApp([appUri])
  return {
    ...environment,
    /** The settings of the mock providers. */
    mock: local.environment,
    /** Adds a user to the providers. Returns their email address. */
    addProviderUser(person: Partial<MockPerson> = {}): string {
      const email = `ann-${randomBytes(6).toString('hex')}@example.com`
      people.push({ name: 'Ann', email, hostedDomain: 'example.com', ...person })
      return person.email ?? email
    },
    async stop() {
      await environment.stop()
      await local.close()
    },
  }
}

/** Removes a field from a message. Over gRPC, it becomes an empty string. */
export function without(transport: Transport, message: Record<string, unknown>, field: string) {
  const { [field]: _, ...rest } = message
  return transport.name === 'grpc' ? { ...rest, [field]: '' } : rest
}

/** Creates a code verifier and its challenge (RFC 7636, S256). */
export function createPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/**
 * Signs in at the provider and returns the callback message without sending it. An empty `email`
 * denies access at the provider.
 */
export async function signInAtProvider(
  transport: Transport,
  provider: ProviderName,
  email: string,
  request: Record<string, unknown> = {},
  method = 'BeginLogin',
) {
  const pkce = createPkce()
  const appRequest = {
    redirect_uri: appUri,
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
  }
  const user = method === 'BeginLogin' ? appRequest : {}
  const begun = expectOk(await transport.call(method, { provider, ...user, ...request }))
  const flow = method === 'BeginLogin' ? '' : 'admin/'
  const callbackUrl = `http://localhost:8000/auth/${flow}callback/${provider}`
  const visitor = email === '' ? { button: '' } : { hint: email }
  const { callback } = await followRedirects(begun.location, callbackUrl, visitor)
  const message = { provider, ...Object.fromEntries(callback), login_state: begun.login_state }
  return { message: message as Record<string, unknown>, verifier: pkce.verifier }
}

/** Signs in at the provider and completes the callback. Returns the redirect to the app. */
export async function signInToApp(
  transport: Transport,
  provider: ProviderName,
  email: string,
  request = {},
) {
  const { message, verifier } = await signInAtProvider(transport, provider, email, request)
  const { location } = expectOk(await transport.call('CompleteLogin', message))
  return { redirect: new URL(location), verifier }
}

/** Signs in and returns a code exchange request for the first workspace. */
export async function obtainCode(
  transport: Transport,
  email: string,
  provider: ProviderName = 'github',
) {
  const { redirect, verifier } = await signInToApp(transport, provider, email)
  const code = redirect.searchParams.get('code') ?? ''
  const { workspaces } = expectOk(await transport.call('ListCodeWorkspaces', { code }))
  const workspace_id: string = workspaces[0]?.id
  return { exchange: { code, workspace_id, code_verifier: verifier }, workspaces }
}

/** Signs in and exchanges the code for tokens of the first workspace. */
export async function signIn(
  transport: Transport,
  email: string,
  provider: ProviderName = 'google',
) {
  const { exchange, workspaces } = await obtainCode(transport, email, provider)
  const tokens = expectOk(await transport.call('ExchangeToken', exchange))
  return { tokens, exchange, workspaces }
}

/** Signs in an administrator. Returns the admin token and the URL of the redirect. */
export async function signInAdmin(
  transport: Transport,
  email: string,
  provider: ProviderName = 'google',
) {
  const { message } = await signInAtProvider(transport, provider, email, {}, 'BeginAdminLogin')
  const { location, admin_token } = expectOk(await transport.call('CompleteAdminLogin', message))
  return { location: location as string, admin: admin_token as string | undefined }
}
