import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import { isLoopbackHttp } from '../../core/loopback.ts'
import { beginGrant, type CodeGrant, checkLogin, clientOf, exchangeCode } from './code-grant.ts'
import { createRenewed, discover } from './discovery.ts'
import { readJson, startStep } from './outbound.ts'
import type { Identity, Provider, ProviderName } from './provider.ts'
import { ProviderError, protect } from './provider-error.ts'

/** What is particular to one OpenID Connect provider. */
export type OidcRow = {
  name: ProviderName
  grant: CodeGrant
  /** Where the discovery document lies, and with it the keys: never the issuer a token names. */
  authority: string
  /** Whether this authority may go by that name in discovery, callbacks and ID tokens. */
  ownsIssuer(issuer: string): boolean
  /** Reads the claims of a verified ID token; `announced` is the issuer in the discovery document. */
  readIdentity(claims: oauth.IDToken, announced: string): Identity
}

/** A provider of OpenID Connect: the identity is what its ID token says. */
export function createOidcProvider(row: OidcRow, timeout: number): Provider {
  const { name, grant, authority } = row
  const insecure = isLoopbackHttp(authority)
  const findServer = createRenewed(() =>
    protect(() => discover(authority, row.ownsIssuer, startStep(timeout, insecure))),
  )

  /** The server under the name it was called by, if that is one of its own. */
  function named(server: oauth.AuthorizationServer, issuer: unknown) {
    if (issuer === undefined || issuer === null) return server
    if (typeof issuer === 'string' && row.ownsIssuer(issuer)) return { ...server, issuer }
    throw new ProviderError('invalid_response', `${issuer} is no issuer of ${authority}`)
  }

  return {
    name,
    begin: (redirectUri) => protect(async () => beginGrant(grant, await findServer(), redirectUri)),

    complete: (callback, redirectUri, secrets) =>
      protect(async () => {
        checkLogin(grant, callback, secrets)
        const server = await findServer()
        const called = named(server, callback.get('iss'))
        const step = startStep(timeout, insecure)
        const response = await exchangeCode(grant, called, callback, redirectUri, secrets, step)
        const speaker = named(server, await peekIssuer(response))
        const answer = await oauth.processAuthorizationCodeResponse(
          ...([speaker, clientOf(grant), response] as const),
          { expectedNonce: secrets.nonce as string, requireIdToken: true },
        )
        await oauth.validateApplicationLevelSignature(server, response, step)
        const claims = oauth.getValidatedIdTokenClaims(answer) as oauth.IDToken
        return row.readIdentity(claims, server.issuer)
      }),
  }
}

/** The issuer that an ID token claims: unverified, and good only to choose what it has to match. */
async function peekIssuer(response: Response): Promise<unknown> {
  if (response.status !== 200) return undefined
  const { id_token } = await readJson(response.clone())
  return typeof id_token === 'string' ? decodeJwt(id_token).iss : undefined
}
