import { ApiError } from '../api/api-error.ts'
import { parseJsonObject } from '../ui/json-object.ts'
import { toLines } from '../ui/lines.ts'

/** The fields of a client app. Lists are edited as text with one item per line. */
export type ClientAppValues = {
  name: string
  type: string
  redirect_uris: string
  post_logout_redirect_uris: string
  backchannel_logout_uri: string
  pkce_required: boolean
  popup_sign_in: boolean
  consent_required: boolean
  workspace_id: string | null
  service_account_id: string | null
  /** The workspace whose service accounts are offered; not a field of the API. */
  account_workspace_id: string | null
  /** A JSON Web Key Set as text; empty for none. */
  jwks: string
}

export const emptyClientApp: ClientAppValues = {
  name: '',
  type: 'public',
  redirect_uris: '',
  post_logout_redirect_uris: '',
  backchannel_logout_uri: '',
  pkce_required: true,
  popup_sign_in: false,
  consent_required: false,
  workspace_id: null,
  service_account_id: null,
  account_workspace_id: null,
  jwks: '',
}

/** @throws {ApiError} if the public keys are not a JSON object */
export function toClientAppBody(values: ClientAppValues) {
  const isConfidential = values.type === 'confidential'
  const { value: jwks = null, error } = parseJsonObject(isConfidential ? values.jwks : '')
  if (error) throw new ApiError(422, { errors: [{ field: 'jwks', message: error }] })
  return {
    name: values.name,
    type: values.type as 'public' | 'confidential',
    redirect_uris: toLines(values.redirect_uris),
    post_logout_redirect_uris: toLines(values.post_logout_redirect_uris),
    backchannel_logout_uri: values.backchannel_logout_uri.trim(),
    pkce_required: values.type === 'public' || values.pkce_required,
    popup_sign_in: values.popup_sign_in,
    consent_required: values.consent_required,
    workspace_id: values.workspace_id,
    service_account_id: isConfidential ? values.service_account_id : null,
    // The generated type of an object with any members has none.
    jwks: jwks as Record<string, never> | null,
  }
}
