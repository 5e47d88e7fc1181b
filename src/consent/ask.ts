import { ServiceError } from '../core/errors.ts'
import type { ConsentAnswer, ConsentQuestion } from '../identity/ports.ts'
import { findClientFacts } from './client-facts.ts'
import { createConsentPage } from './consent-page.ts'
import { canRemember, decideConsent } from './decide.ts'
import { createFormTokens, type FormBinding, looksLikeForm, readFormToken } from './form-token.ts'
import { reasons } from './reasons.ts'
import type { ConsentStore } from './store/consent-store.ts'

/**
 * Returns how a request goes on: with the page, by the form that the page has sent, or by an earlier consent.
 *
 * @throws ServiceError `permission_denied` if the form is not one of this request, user and browser
 */
export async function ask(
  { consents }: { consents: ConsentStore },
  now: Date,
  question: ConsentQuestion,
): Promise<ConsentAnswer> {
  const { confirmation, redirectUri } = question
  const { metadataHash, isAuthenticated } = await findClientFacts(consents, question)
  const displayPage = () => {
    const tokens = createFormTokens(bindingOf(question), now)
    const isTemporary = !canRemember({ redirectUri, isAuthenticated })
    return { page: createConsentPage(question, tokens, { isTemporary }) }
  }
  if (looksLikeForm(confirmation)) {
    const form = readFormToken(bindingOf(question), confirmation, now)
    if (!form) throw formRefused(question)
    if (form.action === 'cancel')
      return { error: 'access_denied', description: 'The user did not agree' }
    if (form.isYoung || question.workspaces.length > 1) return displayPage()
    return { agreement: { formHash: form.hash, expiresAt: form.expiresAt } }
  }
  const [workspace, ...others] = question.workspaces
  const hasChoice = others.length > 0
  const saved =
    workspace && !hasChoice ? await consents.find(keyOf(question, workspace.id)) : undefined
  const { scopes, isRequested, isSilent } = question
  const facts = { saved, scopes, metadataHash, redirectUri, isAuthenticated, now }
  switch (decideConsent({ ...facts, isRequested, isSilent, hasChoice })) {
    case 'remembered':
      return saved ? { agreement: { grantId: saved.id } } : displayPage()
    case 'refuse':
      return { error: 'consent_required', description: 'The user must agree to the access' }
    case 'ask':
      return displayPage()
  }
}

function bindingOf({ browserSecret, user, requestHash }: ConsentQuestion): FormBinding {
  return { browserSecret, userId: user.id, requestHash }
}

/** Returns what identifies the consent that a question is about. */
export function keyOf({ user, client, resource }: ConsentQuestion, workspaceId: string) {
  return { userId: user.id, clientId: client.id, workspaceId, resourceId: resource?.id }
}

/** The page of the error leads back to the request. */
export function formRefused({ restartUrl }: ConsentQuestion): ServiceError {
  const extensions = { restart_url: restartUrl }
  return new ServiceError(reasons.CONSENT_FORM_REFUSED, undefined, { extensions })
}
