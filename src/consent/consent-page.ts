import type { HostedPage, HostedPageConsent } from '../../gen/daikon/v1/oauth.ts'
import { createLink, createPage } from '../identity/oauth/hosted-page.ts'
import type { ConsentQuestion } from '../identity/ports.ts'
import { receiverOf, shownName, unicodeOf } from './client-name.ts'
import type { FormAction } from './form-token.ts'

/** What people read about the scopes of OpenID Connect. */
const scopeSentences: Record<string, string> = {
  openid: 'Know which account you have here',
  profile: 'See your name',
  email: 'See your e-mail address',
  roles: 'See your role in the workspace',
  groups: 'See your groups in the workspace',
  offline_access: 'Keep access while you are away',
}

/** What access means that is limited to no API. */
const unlimited = 'Use the services of the workspace in your name'

/** Returns the page on which a user agrees. The client chooses nothing on it but its own name. */
export function createConsentPage(
  question: ConsentQuestion,
  tokens: Record<FormAction, string>,
  { isTemporary }: { isTemporary: boolean },
): HostedPage {
  const { user, form, workspaces } = question
  const links = [
    createLink({ label: 'Allow', url: form.url, confirmation: tokens.allow }),
    createLink({ label: 'Cancel', url: form.url, confirmation: tokens.cancel }),
  ]
  const consent: HostedPageConsent = {
    ...describeClient(question),
    ...describeAccess(question),
    workspaces,
    is_temporary: isTemporary,
  }
  return createPage('consent', { email: user.email, links, fields: form.fields, consent })
}

type Client = Pick<HostedPageConsent, 'title' | 'unicode_host' | 'self_given_name' | 'receiver'>

function describeClient({ client, redirectUri }: ConsentQuestion): Client {
  const { external } = client
  const receiver = receiverOf(redirectUri)
  const answer = receiver === undefined ? {} : { receiver }
  if (!external) return { title: client.name, ...answer }
  const unicode = unicodeOf(external.host)
  const name = shownName(client.name)
  return {
    title: external.host,
    ...(unicode !== undefined && { unicode_host: unicode }),
    ...(name !== '' && { self_given_name: name }),
    ...answer,
  }
}

function describeAccess({
  resource,
  scopes,
}: ConsentQuestion): Pick<HostedPageConsent, 'resource_name' | 'scopes'> {
  if (!resource)
    return { scopes: [unlimited, ...scopes.map((name) => scopeSentences[name] ?? name)] }
  const sentences = scopes.map((name) => resource.scopeDescriptions.get(name) ?? name)
  return { resource_name: resource.name, scopes: sentences }
}
