import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readForm } from './local-server.ts'
import { type MockClient, type MockPerson, providerIds } from './mock-person.ts'
import { sendPage, sendSignInPage } from './pages.ts'

type Code = { person: MockPerson; redirectUri: string; challenge: string | undefined }

/**
 * Creates a mock of GitHub's OAuth and user APIs, including their peculiarities: token errors have
 * status 200, responses are form-encoded unless the client accepts JSON, and the code verifier is
 * checked only if the request had a challenge. The parameter `login`, an e-mail address, signs in
 * without showing the page.
 */
export function createMockGithub({
  url,
  client,
  people,
}: {
  url: string
  client: MockClient
  people: MockPerson[]
}) {
  const codes = new Map<string, Code>()
  const tokens = new Map<string, MockPerson>()

  async function authorize(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
  ) {
    const redirectUri = query.get('redirect_uri') ?? client.redirectUris[0] ?? ''
    if (query.get('client_id') !== client.id) return sendPage(response, 404, 'Not found', '')
    if (!client.redirectUris.includes(redirectUri)) {
      return sendPage(
        response,
        400,
        'redirect_uri_mismatch',
        '<p>The redirect URI is not registered.</p>',
      )
    }
    const form = request.method === 'POST' ? await readForm(request) : undefined
    const email = form?.get('person') ?? query.get('login')
    const person = people.find((candidate) => candidate.email === email)
    if (!person && !form) return sendSignInPage(response, 'GitHub', people)

    const target = new URL(redirectUri)
    if (person) {
      const code = randomBytes(10).toString('hex')
      const challenge = query.get('code_challenge') ?? undefined
      codes.set(code, { person, redirectUri, challenge })
      target.searchParams.set('code', code)
    } else {
      target.searchParams.set('error', 'access_denied')
      target.searchParams.set('error_description', 'The user has denied your application access.')
    }
    target.searchParams.set('state', query.get('state') ?? '')
    target.searchParams.set('iss', `${url}/login/oauth`)
    response.writeHead(302, { location: target.href }).end()
  }

  function exchange(form: URLSearchParams): Record<string, string> {
    if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret) {
      return { error: 'incorrect_client_credentials' }
    }
    const code = form.get('code') ?? ''
    const issued = codes.get(code)
    if (!issued || !matchesChallenge(form.get('code_verifier'), issued.challenge)) {
      return { error: 'bad_verification_code' }
    }
    if ((form.get('redirect_uri') ?? issued.redirectUri) !== issued.redirectUri) {
      return { error: 'redirect_uri_mismatch' }
    }
    codes.delete(code)
    const token = `gho_${randomBytes(18).toString('hex')}`
    tokens.set(token, issued.person)
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' }
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    const path = pathname.slice(new URL(url).pathname.length)
    if (path === '/login/oauth/authorize') return authorize(request, response, searchParams)
    if (path === '/login/oauth/access_token' && request.method === 'POST') {
      const result = exchange(await readForm(request))
      if (request.headers.accept?.includes('json')) return sendJson(response, 200, result)
      response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' })
      response.end(new URLSearchParams(result).toString())
      return
    }
    const person = tokens.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (!request.headers['user-agent'])
      return sendJson(response, 403, { message: 'The User-Agent header is required' })
    if (!person) return sendJson(response, 401, { message: 'Bad credentials' })
    if (path === '/api/user') return sendJson(response, 200, userOf(person))
    if (path === '/api/user/emails') return sendJson(response, 200, emailsOf(person))
    return sendJson(response, 404, { message: 'Not Found' })
  }
}

function userOf(person: MockPerson) {
  const login = person.email.split('@')[0]
  return {
    login,
    id: providerIds(person).id,
    avatar_url: '',
    name: person.name || null,
    email: null,
  }
}

function emailsOf({ email, verified = true }: MockPerson) {
  return [
    { email: `old+${email}`, primary: false, verified: true, visibility: null },
    { email, primary: true, verified, visibility: 'private' },
  ]
}

function matchesChallenge(verifier: string | null, challenge: string | undefined): boolean {
  if (challenge === undefined) return true
  const hash = createHash('sha256').update(verifier ?? '')
  return hash.digest('base64url') === challenge
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(value))
}
