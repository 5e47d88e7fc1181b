import type { Caller } from './caller.ts'
import { type Field, invalidArgument } from './errors.ts'
import { oAuthService } from './gen/methods.ts'
import { incompleteResponse, requireText } from './responses.ts'

/** Who acts for users: a service account by its API key, or a confidential client app. */
export type Agent = { apiKey: string } | { clientId: string; clientSecret: string }

/** What to exchange: an access token of the user, or only the ID of the user's delegation. */
export type ExchangeRequest = (
  | { subjectToken: string; delegationId?: string | undefined }
  | { delegationId: string }
) & {
  /** The URI of the API that the token is for. By default, it is for daikon. */
  resource?: string | undefined
  /** The scopes of the API, separated by spaces. By default, all that the client app has. */
  scope?: string | undefined
}

/** A token with which an agent acts for a user. */
export type DelegatedToken = {
  token: string
  /** The scopes, separated by spaces; empty without a resource. */
  scope: string
  expiresAt: Date
}

const tokenTypes = {
  accessToken: 'urn:ietf:params:oauth:token-type:access_token',
  delegation: 'urn:daikon:params:oauth:token-type:delegation',
  apiKey: 'urn:daikon:params:oauth:token-type:api_key',
}

/** How long before its end a token is replaced. */
const marginMs = 60_000

/** The maximum number of tokens that are kept. */
const maxTokens = 1000

const requestNames = ['subjectToken', 'delegationId', 'resource', 'scope']

/**
 * Creates the function that exchanges tokens (RFC 8693). A token is kept until a minute before its end,
 * and concurrent calls for the same one share a request.
 */
export function createExchange(
  { send }: Pick<Caller, 'send'>,
  agent: Agent | undefined,
): (request: ExchangeRequest) => Promise<DelegatedToken> {
  const tokens = new Map<string, Promise<DelegatedToken>>()

  async function issue(request: ExchangeRequest, agent: Agent): Promise<DelegatedToken> {
    const sentAt = Date.now()
    const { issueToken } = oAuthService
    const response = await send(issueToken, toMessage(request, agent), { retry: true })
    const { access_token, expires_in, scope = '' } = response
    if (typeof expires_in !== 'number') throw incompleteResponse('expires_in')
    const token = requireText('access_token', access_token)
    return { token, scope, expiresAt: new Date(sentAt + expires_in * 1000) }
  }

  return async (request) => {
    if (!agent) throw invalidArgument({ field: 'agent', message: 'is required by exchange' })
    requireRequest(request)
    const key = JSON.stringify(requestNames.map((name) => Reflect.get(request, name)))
    const kept = tokens.get(key)
    if (kept) {
      const token = await kept
      if (token.expiresAt.getTime() - marginMs > Date.now()) return token
      if (tokens.get(key) === kept) tokens.delete(key)
    }
    const current = tokens.get(key)
    if (current) return current
    const issued = issue(request, agent)
    tokens.set(key, issued)
    const [oldest] = tokens.keys()
    if (tokens.size > maxTokens && oldest !== undefined) tokens.delete(oldest)
    issued.catch(() => tokens.get(key) === issued && tokens.delete(key))
    return issued
  }
}

/** @throws InvalidArgumentError */
export function requireAgent(agent: Agent): void {
  const { apiKey, clientId, clientSecret } = agent as Partial<
    Record<'apiKey' | 'clientId' | 'clientSecret', unknown>
  >
  const isAccount = isText(apiKey) && clientId === undefined && clientSecret === undefined
  const isClient = isText(clientId) && isText(clientSecret) && apiKey === undefined
  if (isAccount || isClient) return
  throw invalidArgument({
    field: 'agent',
    message: 'must be { apiKey } or { clientId, clientSecret }',
  })
}

function requireRequest(request: ExchangeRequest): void {
  const problems: Field[] = []
  for (const [field, value] of Object.entries(request ?? {})) {
    if (!requestNames.includes(field))
      problems.push({ field, message: 'is not an option of exchange' })
    else if (value !== undefined && !isText(value))
      problems.push({ field, message: 'must be a non-empty string' })
  }
  const { subjectToken, delegationId } = { subjectToken: undefined, ...request }
  if (subjectToken === undefined && delegationId === undefined)
    problems.push({ field: 'subjectToken', message: 'is required, or delegationId' })
  if (problems.length > 0) throw invalidArgument(...problems)
}

function toMessage(request: ExchangeRequest, agent: Agent) {
  const { resource, scope } = request
  const subject =
    'subjectToken' in request
      ? {
          subject_token: request.subjectToken,
          subject_token_type: tokenTypes.accessToken,
          ...(request.delegationId !== undefined && { delegation_id: request.delegationId }),
        }
      : { subject_token: request.delegationId, subject_token_type: tokenTypes.delegation }
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    ...subject,
    ...('apiKey' in agent
      ? { actor_token: agent.apiKey, actor_token_type: tokenTypes.apiKey }
      : { client_id: agent.clientId, client_secret: agent.clientSecret }),
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
    repeated_parameters: [],
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
