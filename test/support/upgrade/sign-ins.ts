import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { type MockPerson, startMockProviders } from '../../../src/dev/mock-providers.ts'
import { createAuthorizationRequest, createOAuthClient, issuer, oauthUri } from '../oauth.ts'
import { followRedirects } from '../providers/browser-flow.ts'
import type { Seed } from '../seed.ts'
import { appUri, createPkce } from '../sign-in.ts'
import type { Outcome } from '../transports.ts'
import type { Facts } from './facts.ts'
import type { CallFailed, Rotation } from './rotation.ts'
import { startWorker } from './worker.ts'

/** A session whose tokens have been acknowledged. `refresh` creates its next call. */
type Session = {
  access: string
  refresh: string
  renew(refresh_token: string): [method: string, message: object]
}

/** Starts the provider at which people sign in. */
export async function startProvider() {
  const people: MockPerson[] = []
  const redirectUris = [`${issuer}/auth/callback/google`]
  const client = { id: 'daikon', secret: 'secret', redirectUris }
  return { people, ...(await startMockProviders({ people, client })) }
}

/**
 * Signs people in, by OpenID Connect and by the sign-in of apps without it, refreshes their sessions
 * and signs some of them out. Every call goes to another node.
 */
export async function startSignIns(
  rotation: Rotation,
  { people, pool, seed, facts }: { people: MockPerson[]; pool: Pool; seed: Seed; facts: Facts },
) {
  const client = await createOAuthClient({ pool, seed })
  await seed.clientApp([appUri])
  const sessions: Session[] = []
  const ended: Session[] = []
  const isRefused = {
    isRight: (outcome: Outcome) => !outcome.ok && outcome.code === 'unauthenticated',
  }
  const provider = 'google'

  /** Signs in at the provider, and returns the redirect to the app. */
  async function signIn(method: string, request: object, email: string): Promise<URL> {
    const begun = await rotation.call(method, { ...request, provider })
    const { callback } = await followRedirects(begun.location, `${issuer}/auth/callback/google`, {
      hint: email,
    })
    const message = { provider, ...Object.fromEntries(callback), login_state: begun.login_state }
    const { location } = await rotation.call('CompleteLogin', message)
    facts.expect('user signed in', email)
    return new URL(location)
  }

  async function signInByOpenId(email: string): Promise<Session> {
    const { request, verifier } = createAuthorizationRequest(client.client_id)
    const redirect = await signIn('Authorize', request, email)
    const tokens = await rotation.call('IssueToken', {
      grant_type: 'authorization_code',
      code: redirect.searchParams.get('code') ?? '',
      redirect_uri: oauthUri,
      code_verifier: verifier,
      ...client,
    })
    const renew = (refresh_token: string): [string, object] => [
      'IssueToken',
      { grant_type: 'refresh_token', refresh_token, ...client },
    ]
    return { access: tokens.access_token, refresh: tokens.refresh_token, renew }
  }

  async function signInByCode(email: string): Promise<Session> {
    const { challenge, verifier } = createPkce()
    const redirect = await signIn(
      'BeginLogin',
      { redirect_uri: appUri, code_challenge: challenge, code_challenge_method: 'S256' },
      email,
    )
    const code = redirect.searchParams.get('code') ?? ''
    const { workspaces } = await rotation.call('ListCodeWorkspaces', { code })
    const exchange = { code, workspace_id: workspaces[0]?.id, code_verifier: verifier }
    const tokens = await rotation.call('ExchangeToken', exchange)
    const renew = (refresh_token: string): [string, object] => ['RefreshToken', { refresh_token }]
    return { access: tokens.access_token, refresh: tokens.refresh_token, renew }
  }

  async function refresh({ refresh, renew }: Session): Promise<Session> {
    const tokens = await rotation.call(...renew(refresh))
    return { access: tokens.access_token, refresh: tokens.refresh_token, renew }
  }

  const startOne = (signInBy: (email: string) => Promise<Session>) => {
    let round = 0
    return startWorker(rotation, 'sign-in', async () => {
      round += 1
      const email = `ann-${randomBytes(6).toString('hex')}@example.com`
      people.push({ name: 'Ann', email, hostedDomain: 'example.com' })
      let session = await signInBy(email)
      const isRight = (outcome: Outcome) => outcome.ok && outcome.message.email === email
      await rotation.call('GetMe', {}, { token: session.access }, { isRight })
      session = await refresh(session)
      await rotation.call('GetMe', {}, { token: session.access }, { isRight })
      if (round % 3 === 0) {
        await rotation.call('Logout', {}, { token: session.access })
        ended.push(session)
        await rotation.call('GetMe', {}, { token: session.access }, isRefused)
        return
      }
      sessions.push(session)
      // Refreshes a session that has begun before, perhaps by the other version.
      const older = sessions.shift()
      if (older) sessions.push(await refresh(older))
    })
  }
  return {
    workers: [startOne(signInByOpenId), startOne(signInByCode)],
    /** Refreshes the sessions that remain. Returns what is wrong with a session. */
    async findDifferences(): Promise<string[]> {
      const differences: string[] = []
      for (const session of sessions)
        await refresh(session).catch(({ message }: CallFailed) => {
          if (message !== 'unavailable') differences.push(`a session is lost: ${message}`)
        })
      for (const { access } of ended)
        await rotation
          .call('GetMe', {}, { token: access }, isRefused)
          .catch(({ message }: CallFailed) => {
            if (message !== 'unavailable')
              differences.push(`a session that was signed out goes on: ${message}`)
          })
      return differences
    },
    counts: () => ({ sessions: sessions.length, ended: ended.length }),
  }
}
