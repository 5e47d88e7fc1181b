import type { HostedPage } from '../../../gen/daikon/v1/oauth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { appendToQuery } from '../redirect-uris.ts'
import type { SignInError, SignInFailure } from '../sign-in-result.ts'
import {
  type AuthorizationError,
  type AuthorizationErrorName,
  type AuthorizationRequest,
  toParameters,
} from './authorization-request.ts'
import { createLink, createPage } from './hosted-page.ts'

/** How a request continues: with a redirect or with a page. */
export type Continuation =
  | { location: string; page?: never }
  | { location?: never; page: HostedPage }

export function authorizationUrl(
  { identity }: IdentityContext,
  request: AuthorizationRequest,
): string {
  return `${identity.settings.BASE_URL}/oauth/authorize?${toParameters(request)}`
}

/**
 * Returns the URL at which a request continues after a sign-in. Its `prompt` and `max_age` only hold for
 * another sign-in, which a workspace may require.
 */
export function resumeUrl(context: IdentityContext, request: AuthorizationRequest): string {
  return authorizationUrl(context, { ...request, isResumed: true })
}

/** Returns the parameters of the response, `state` and `iss` (RFC 9207) to the client app. */
export function respond(
  { identity }: IdentityContext,
  request: {
    redirectUri: string
    state?: string | undefined
    responseMode?: AuthorizationRequest['responseMode']
  },
  parameters: Record<string, string>,
): Continuation {
  const { redirectUri, state, responseMode } = request
  const fields = {
    ...parameters,
    ...(state !== undefined && { state }),
    iss: identity.settings.BASE_URL,
  }
  if (responseMode === 'form_post') return { page: formPage(redirectUri, fields) }
  return { location: appendToQuery(redirectUri, fields) }
}

/** Returns the page that sends the response as a form (OAuth 2.0 Form Post Response Mode, 2). */
function formPage(url: string, fields: Record<string, string>): HostedPage {
  return createPage('form_post', {
    links: [createLink({ label: 'Continue', url })],
    fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
  })
}

export function respondWithError(
  context: IdentityContext,
  request: AuthorizationRequest,
  error: AuthorizationErrorName,
  error_description: string,
): Continuation {
  const parameters: AuthorizationError = { error, error_description }
  return respond(context, request, { ...parameters })
}

/**
 * Maps the errors of a sign-in to errors of the authorization endpoint. All others become
 * `access_denied`.
 */
const signInErrorNames: Partial<Record<SignInError, AuthorizationErrorName>> = {
  provider_unavailable: 'temporarily_unavailable',
  provider_error: 'server_error',
  invalid_response: 'server_error',
  state_mismatch: 'server_error',
  reauthentication_required: 'unmet_authentication_requirements',
  unexpected_user: 'login_required',
  passkey_missing: 'unmet_authentication_requirements',
}

export function respondToFailure(
  context: IdentityContext,
  request: AuthorizationRequest,
  { error, error_description }: SignInFailure,
): Continuation {
  const name = signInErrorNames[error] ?? 'access_denied'
  return respondWithError(context, request, name, error_description)
}

/**
 * Returns where to send the browser after a failed sign-in: the redirect URI with the error, or the
 * page that sends it as a form.
 */
export function failureUrl(
  context: IdentityContext,
  request: AuthorizationRequest,
  failed: SignInFailure,
): string {
  const { location } = respondToFailure(context, request, failed)
  // Only the name of the error is in the URL, so that no link can choose its description.
  return location ?? `${authorizationUrl(context, request)}&sign_in_error=${failed.error}`
}
