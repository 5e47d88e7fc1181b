import { createHash } from 'node:crypto'
import type { Response } from 'express'
import type { ServiceError } from '../core/errors.ts'
import { escapeHtml } from '../core/escape-html.ts'
import {
  type ConsentOfPage,
  formSourceOf,
  renderConsent,
  renderWorkspaceChoice,
} from './consent-page.ts'
import { hostedPageStyle } from './hosted-page-style.ts'
import { passkeyScript } from './passkey-script.ts'

type Link = { label: string; detail: string; url: string; confirmation: string }

/** A page of the OAuth endpoints (oauth.proto). */
export type HostedPage = {
  kind: string
  client_name: string
  email: string
  links: Link[]
  invitations: Link[]
  fields: { name: string; value: string }[]
  error?: string | undefined
  account_url?: string | undefined
  consent?: ConsentOfPage | undefined
}

/** Allows the style of the page and nothing else: no scripts, forms, frames or requests. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src '${hashSource(hostedPageStyle)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const submitScript = 'document.forms[0].submit()'

/** Also allows a form, to any host, because browsers also check the redirects that follow. */
const formPolicy = contentSecurityPolicy.replace("form-action 'none'", 'form-action https: http:')

/** Also allows the script that sends a response to a client app. */
const submitPolicy = formPolicy.replace(
  'form-action',
  `script-src '${hashSource(submitScript)}'; form-action`,
)

/** Returns the policy that also allows the script of passkeys, which calls the server. */
function allowPasskeys(policy: string): string {
  return `${policy}; script-src '${hashSource(passkeyScript)}'; connect-src 'self'`
}

function hashSource(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}

/** Sends a page of the OAuth endpoints. */
export function sendHostedPage(response: Response, page: HostedPage): void {
  const changes = [...page.links, ...page.invitations].some(
    ({ confirmation }) => confirmation !== '',
  )
  const hasForm =
    changes || ['ask_for_code', 'enter_code'].includes(page.kind) || findEmailForm(page)
  const policies: Record<string, string> = {
    form_post: submitPolicy,
    consent: formPolicy.replace('https: http:', `https: http: ${formSourceOf(page)}`),
  }
  const policy = policies[page.kind] ?? (hasForm ? formPolicy : contentSecurityPolicy)
  const html = renderHostedPage(page)
  const script = `<script>${passkeyScript}</script>\n</body>`
  sendPage(response, 200, hasPasskeys(page) ? html.replace('</body>', () => script) : html, {
    contentSecurity: hasPasskeys(page) ? allowPasskeys(policy) : policy,
    // Without a referrer, a form has no origin either, and would look like one of another site.
    referrer: hasForm ? 'same-origin' : 'no-referrer',
  })
}

/** Sends a page with its own policies. By default, no host receives its URL. */
export function sendPage(
  response: Response,
  status: number,
  html: string,
  policies = { contentSecurity: contentSecurityPolicy, referrer: 'no-referrer' },
): void {
  response.set('Content-Security-Policy', policies.contentSecurity)
  // The URL of the page contains the state of the client app.
  response.set('Referrer-Policy', policies.referrer)
  response.status(status).type('html').send(html)
}

/** Whether people can sign in with a passkey on a page, or from it. */
function hasPasskeys({ kind, links }: HostedPage): boolean {
  return kind === 'passkey' || links.some(({ detail }) => detail === 'passkey')
}

/** Renders a page of the OAuth endpoints as one HTML document. */
function renderHostedPage(page: HostedPage): string {
  const { client_name: app, email } = page
  const to = app === '' ? '' : ` to ${strong(app)}`
  switch (page.kind) {
    case 'choose_provider':
      return renderDocument(`Sign in${app && ` to ${app}`}`, [
        `<h1>Sign in${to}</h1>`,
        '<p>Choose the account that you want to use.</p>',
        ...renderError(page),
        ...renderMethods(page),
      ])
    case 'ask_for_code':
      return renderDocument('Sign in by e-mail', renderAskForCode(page))
    case 'enter_code':
      return renderDocument('Enter the code', renderEnterCode(page))
    case 'confirm_address':
      return renderDocument('One more sign-in', renderConfirmAddress(page))
    case 'passkey':
      return renderDocument('Sign in with a passkey', renderPasskey(page))
    case 'choose_workspace':
      return renderDocument('Choose a workspace', [
        '<h1>Choose a workspace</h1>',
        `<p>${strong(app)} opens the workspace that you choose.</p>`,
        renderLinks(page.links, 'Workspaces', renderWorkspace),
        ...(page.invitations.length > 0 ? ['<h2>Invitations</h2>', renderInvitations(page)] : []),
        renderSignedIn(page),
      ])
    case 'accept_invitation':
      return renderDocument('Accept an invitation', [
        '<h1>You are invited</h1>',
        ...(app === '' ? [] : [`<p>${strong(app)} opens the workspace that you join.</p>`]),
        renderInvitations(page),
        ...(page.links.length === 0
          ? []
          : [renderLinks(page.links, 'Other choices', renderSecondaryAction)]),
        renderSignedIn(page),
      ])
    case 'sign_in_to_accept':
      return renderDocument('You are invited', renderSignInToAccept(page))
    case 'joined':
      return renderDocument('You have joined', renderJoined(page))
    case 'confirm_sign_out':
      return renderDocument('Sign out?', [
        '<h1>Sign out?</h1>',
        `<p>You are signed in as ${strong(email)}. This signs you out of every app that you opened in this browser.</p>`,
        renderForm(page, page.links, (link) => renderButton(link, link.label, ' primary')),
      ])
    case 'consent':
      return renderDocument('Give access?', renderConsentPage(page))
    case 'confirm_connection':
      return renderDocument('Continue to sign in?', renderConfirmConnection(page))
    case 'link_account':
      return renderDocument('Add this account?', renderLinkAccount(page))
    case 'switch_user':
      return renderDocument('Switch user?', renderSwitchUser(page))
    case 'form_post':
      return renderDocument('Continue', renderFormPost(page))
    default:
      return renderDocument('Signed out', [
        '<h1>You are signed out</h1>',
        '<p>You can close this page.</p>',
      ])
  }
}

/** Returns the link that is a form for an address, if a page has one. */
function findEmailForm({ kind, links, fields }: HostedPage): Link | undefined {
  if (kind !== 'choose_provider' || fields.length === 0) return undefined
  return links.find(({ detail }) => detail === 'email' || detail === 'login_hint')
}

/** Renders the methods of a sign-in in their order. The form for an address parts the others. */
function renderMethods(page: HostedPage): string[] {
  const form = findEmailForm(page)
  if (!form) return [renderLinks(page.links, 'Identity providers', renderProvider)]
  const index = page.links.indexOf(form)
  const parts = [page.links.slice(0, index), page.links.slice(index + 1)]
  const [before = '', after = ''] = parts.map((links) =>
    links.length === 0 ? '' : renderLinks(links, 'Identity providers', renderProvider),
  )
  return [before, problem, renderAddressForm(page, form), after]
}

/** Where the script of passkeys reports problems. */
const problem = '<p class="error" role="alert" id="problem" hidden></p>'

/**
 * Renders the form that sends an address, in whose field browsers offer passkeys: for a code, or with the
 * client app's request.
 */
function renderAddressForm(page: HostedPage, { url, label, detail }: Link): string {
  const [method, name] = detail === 'login_hint' ? ['get', detail] : ['post', 'email']
  const text = detail === 'email' ? 'Continue with e-mail' : label
  return [
    `<form method="${method}" action="${escapeHtml(url)}">`,
    ...renderHiddenFields(page),
    '<label for="email">E-mail address</label>',
    `<input id="email" name="${name}" type="email" required maxlength="254" autocomplete="username webauthn" value="${escapeHtml(page.email)}">`,
    `<button class="choice action primary">${escapeHtml(text)}</button>`,
    '</form>',
  ].join('\n')
}

function renderError({ error }: HostedPage): string[] {
  return error === undefined ? [] : [`<p class="error" role="alert">${escapeHtml(error)}.</p>`]
}

function renderAskForCode(page: HostedPage): string[] {
  const [form] = page.links
  return [
    '<h1>Sign in by e-mail</h1>',
    '<p>A code of eight digits is sent to your address. Type it on the next page, in this browser.</p>',
    ...renderError(page),
    form ? renderAddressForm(page, form) : '',
  ]
}

function renderEnterCode(page: HostedPage): string[] {
  const [form, again, other] = page.links
  return [
    '<h1>Enter the code</h1>',
    `<p>If ${strong(page.email)} can sign in here, an e-mail with a code arrives within a minute. The code works for ten minutes.</p>`,
    ...renderError(page),
    `<form method="post" action="${escapeHtml(form?.url ?? '')}">`,
    ...renderHiddenFields(page),
    '<label for="code">Code</label>',
    '<input id="code" name="code" class="code" type="text" inputmode="numeric" pattern="[0-9 ]{8,12}" title="eight digits" required maxlength="12" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" autofocus>',
    `<button class="choice action primary">${escapeHtml(form?.label ?? '')}</button>`,
    '</form>',
    `<form method="post" action="${escapeHtml(again?.url ?? '')}">`,
    ...renderHiddenFields(page),
    `<input type="hidden" name="email" value="${escapeHtml(page.email)}">`,
    `<button class="choice action">${escapeHtml(again?.label ?? '')}</button>`,
    '</form>',
    other ? renderLinks([other], 'Other choices', renderSecondaryAction) : '',
  ]
}

function renderConfirmAddress(page: HostedPage): string[] {
  const labels = page.links.map(({ label }) => label)
  const ways =
    labels.length > 1 ? `${labels.slice(0, -1).join(', ')} or ${labels.at(-1)}` : labels[0]
  return [
    '<h1>One more sign-in</h1>',
    ways === undefined
      ? `<p role="alert">${strong(page.email)} has never signed in here with a code, and the way that it signs in with is not available here. Contact the operator.</p>`
      : `<p>To use codes for ${strong(page.email)}, sign in once with ${escapeHtml(ways)}. From then on, codes suffice.</p>`,
    renderLinks(page.links, 'Ways to sign in', renderProvider),
  ]
}

function renderSignInToAccept({ invitations, links, email, error }: HostedPage): string[] {
  const { label = '', detail = '' } = invitations[0] ?? {}
  const hasFailed = error === undefined ? [] : [`<p role="alert">${escapeHtml(error)}.</p>`]
  const isSignedIn =
    email === '' ? [] : [`<footer>This browser is signed in as ${strong(email)}</footer>`]
  return [
    `<h1>Join ${escapeHtml(label)}</h1>`,
    `<p>${escapeHtml(detail)}. Sign in with this address to join.</p>`,
    ...hasFailed,
    renderLinks(links, 'Identity providers', renderProvider),
    ...isSignedIn,
  ]
}

/** Renders the page that its script signs in with a passkey. */
function renderPasskey({ fields, links }: HostedPage): string[] {
  const data = fields.map(({ name, value }) => `data-${name}="${escapeHtml(value)}"`).join(' ')
  return [
    '<h1>Sign in with a passkey</h1>',
    '<p>Your device asks for your fingerprint, your face or its screen lock.</p>',
    problem,
    '<noscript><p role="alert">Passkeys need JavaScript, which is off in this browser.</p></noscript>',
    `<button class="choice action primary" data-passkey ${data}>Use a passkey</button>`,
    renderLinks(links, 'Other choices', renderSecondaryAction),
  ]
}

function renderConfirmConnection({ links, client_name: app }: HostedPage): string[] {
  const { label = '', detail = '' } = links[0] ?? {}
  const opening = app === '' ? 'Sign in' : `Sign in to ${strong(app)}`
  return [
    `<h1>${opening} with ${escapeHtml(detail)}?</h1>`,
    `<p>The workspace ${strong(label)} signs its members in at ${strong(detail)}. Continue only if this is your organization.</p>`,
    renderLinks(links, 'Choices', (link) => renderAction(link, `Continue to ${detail}`)),
  ]
}

function renderConsentPage(page: HostedPage): string[] {
  const { consent, links } = page
  if (!consent) return []
  const [allow] = links
  const buttons = links.map((link) =>
    link === allow
      ? renderButton(link, link.label, ' primary')
      : renderButton(link, link.label, '').replace('<button ', '<button formnovalidate '),
  )
  return [
    ...renderConsent(consent),
    `<form method="post" action="${escapeHtml(allow?.url ?? '')}">`,
    ...renderHiddenFields(page),
    ...renderWorkspaceChoice(consent),
    ...buttons,
    '</form>',
    `<footer>Signed in as ${strong(page.email)}</footer>`,
  ]
}

/** Renders a form with a button for each user. */
function renderSwitchUser(page: HostedPage): string[] {
  const [next] = page.links
  return [
    '<h1>Switch user?</h1>',
    `<p>This browser is signed in as ${strong(page.email)}. Switching to ${strong(next?.label ?? '')} signs ${strong(page.email)} out of every app that was opened in this browser.</p>`,
    renderForm(page, page.links, (link) =>
      link === next
        ? renderButton(link, `Switch to ${link.label}`, '')
        : renderButton(link, `Stay signed in as ${link.label}`, ' primary'),
    ),
  ]
}

/** Names the user and the account, so that nobody links the account that another person signed in with. */
function renderLinkAccount(page: HostedPage): string[] {
  const [link, cancel] = page.links
  if (!link || !cancel) return []
  return [
    '<h1>Add this account?</h1>',
    `<p>You are signed in as ${strong(page.email)}. The account ${strong(link.detail)} of ${strong(link.label)} will sign in as you from now on.</p>`,
    renderForm(page, [link], () => renderButton(link, `Add ${link.detail}`, ' primary')),
    renderLinks([cancel], 'Other choices', renderSecondaryAction),
  ]
}

function renderJoined(page: HostedPage): string[] {
  const { invitations, email } = page
  const { label = '', detail = '' } = invitations[0] ?? {}
  const isOther = email !== '' && detail !== ''
  return [
    `<h1>${isOther ? `${escapeHtml(detail)} has` : 'You have'} joined ${escapeHtml(label)}</h1>`,
    ...(detail === '' || isOther ? [] : [`<p>The invitation was for ${strong(detail)}.</p>`]),
    '<p>Open your application to work in the workspace. You can close this page.</p>',
    ...(email === '' ? [] : [renderSignedIn(page)]),
  ]
}

/** Names the user who is signed in, and leads to their account page if there is one. */
function renderSignedIn({ email, account_url: url }: HostedPage): string {
  const account = url === undefined ? '' : ` · <a href="${escapeHtml(url)}">Your account</a>`
  return `<footer>Signed in as ${strong(email)}${account}</footer>`
}

/** Renders a form with a button for each choice that changes something. */
function renderForm(page: HostedPage, links: Link[], render: (link: Link) => string): string {
  return [
    `<form method="post" action="${escapeHtml(links[0]?.url ?? '')}">`,
    ...renderHiddenFields(page),
    ...links.map(render),
    '</form>',
  ].join('\n')
}

function renderButton({ confirmation }: Link, text: string, style: string): string {
  return `<button class="choice action${style}" name="confirmation" value="${escapeHtml(confirmation)}">${escapeHtml(text)}</button>`
}

/** Renders a form that sends itself, and has a button in case scripts are off. */
function renderFormPost(page: HostedPage): string[] {
  const [link] = page.links
  return [
    '<h1>Return to the application</h1>',
    '<p>Choose Continue if the application does not open by itself.</p>',
    `<form method="post" action="${escapeHtml(link?.url ?? '')}">`,
    ...renderHiddenFields(page),
    `<button class="choice action primary">${escapeHtml(link?.label ?? '')}</button>`,
    '</form>',
    `<script>${submitScript}</script>`,
  ]
}

function renderHiddenFields({ fields }: HostedPage): string[] {
  return fields.map(
    ({ name, value }) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
}

/** Renders an error page for the user of a browser. */
export function renderErrorPage(error: ServiceError, requestId: string): string {
  const [title, advice] = explain(error)
  return renderDocument(title, [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p role="alert">${escapeHtml(error.message)}.</p>`,
    `<p>${escapeHtml(advice)}</p>`,
    ...renderRestart(error),
    `<footer>Error <code>${escapeHtml(error.reason)}</code>, request <code>${escapeHtml(requestId)}</code></footer>`,
  ])
}

/** Renders the link by which the request begins again, if the error has one. */
function renderRestart({ extensions: { restart_url: url } }: ServiceError): string[] {
  if (typeof url !== 'string') return []
  const link = { label: 'Begin again', detail: '', url, confirmation: '' }
  return [renderLinks([link], 'Choices', (choice) => renderAction(choice, choice.label))]
}

function explain({ code, reason }: ServiceError): [title: string, advice: string] {
  if (reason === 'INVITATION_ENDED') {
    return ['This invitation has ended', 'Ask the person who invited you for a new one.']
  }
  if (reason === 'CONSENT_FORM_REFUSED') {
    return ['Nothing was allowed', 'Begin again to see what is asked for.']
  }
  if (code === 'resource_exhausted') {
    return ['Too many attempts', 'Wait a moment, then go back to the app and try again.']
  }
  if (code === 'unavailable' || code === 'internal') {
    return ['Sign-in is not available', 'Go back to the app and try again in a few minutes.']
  }
  return [
    'This sign-in cannot continue',
    'Go back to the app and start again. If this happens repeatedly, tell its developers the error below.',
  ]
}

function renderLinks(links: Link[], label: string, renderLink: (link: Link) => string): string {
  const items = links.map((link) => `<li>${renderLink(link)}</li>`)
  return `<nav aria-label="${label}"><ul>${items.join('')}</ul></nav>`
}

function renderProvider({ label, detail, url }: Link): string {
  const paths = providerIcons[detail]
  // The provider of a connection has none.
  const icon = paths
    ? `<svg class="icon ${escapeHtml(detail)}" viewBox="0 0 24 24" aria-hidden="true">${paths}</svg>`
    : ''
  return `<a class="choice" href="${escapeHtml(url)}">${icon}<span>Continue with ${escapeHtml(label)}</span></a>`
}

function renderWorkspace(link: Link): string {
  return `<a class="choice" href="${escapeHtml(link.url)}">${renderChoice(link, link.label)}</a>`
}

function renderInvitations(page: HostedPage): string {
  return renderForm(
    page,
    page.invitations,
    (link) =>
      `<button class="choice" name="confirmation" value="${escapeHtml(link.confirmation)}">${renderChoice(link, `Join ${link.label}`)}</button>`,
  )
}

function renderChoice({ label, detail }: Link, text: string): string {
  const initial = escapeHtml([...label][0]?.toUpperCase() ?? '')
  return `<span class="badge" aria-hidden="true">${initial}</span><span>${escapeHtml(text)}<small>${escapeHtml(detail)}</small></span>`
}

function renderAction({ url }: Link, text: string): string {
  return `<a class="choice action primary" href="${escapeHtml(url)}">${escapeHtml(text)}</a>`
}

function renderSecondaryAction({ label, url }: Link): string {
  return `<a class="choice action" href="${escapeHtml(url)}">${escapeHtml(label)}</a>`
}

/**
 * Simplified icons, because the logos of the providers are trademarks with their own rules. A key stands for any
 * OpenID provider.
 */
const providerIcons: Record<string, string> = {
  google:
    '<path d="M21 12.2c0-.7-.1-1.3-.2-1.9H12v3.7h5.1a4.4 4.4 0 0 1-1.9 2.9v2.4h3.1c1.8-1.7 2.7-4.1 2.7-7.1Z" fill="#4285f4"/><path d="M12 21.5c2.6 0 4.7-.9 6.3-2.3l-3.1-2.4a5.8 5.8 0 0 1-8.6-3H3.5v2.5a9.5 9.5 0 0 0 8.5 5.2Z" fill="#34a853"/><path d="M6.6 13.8a5.7 5.7 0 0 1 0-3.6V7.7H3.5a9.5 9.5 0 0 0 0 8.6l3.1-2.5Z" fill="#fbbc05"/><path d="M12 6.3c1.4 0 2.7.5 3.7 1.4l2.7-2.7A9.5 9.5 0 0 0 3.5 7.7l3.1 2.5A5.7 5.7 0 0 1 12 6.3Z" fill="#ea4335"/>',
  microsoft:
    '<path d="M3 3h8.5v8.5H3z" fill="#f25022"/><path d="M12.5 3H21v8.5h-8.5z" fill="#7fba00"/><path d="M3 12.5h8.5V21H3z" fill="#00a4ef"/><path d="M12.5 12.5H21V21h-8.5z" fill="#ffb900"/>',
  email:
    '<path fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" d="M3.5 5.5h17v13h-17zM3.5 6.5 12 13l8.5-6.5"/>',
  passkey:
    '<path fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" d="M12.5 10.5a4 4 0 1 1-7.5-2 4 4 0 0 1 7.5 2zm0 0h8v4h-2.5v-2h-2v2H14"/>',
  github:
    '<path fill="currentColor" d="M12 2a10 10 0 0 0-3.2 19.5c.5.1.7-.2.7-.5v-1.8c-2.8.6-3.4-1.2-3.4-1.2-.4-1.1-1.1-1.4-1.1-1.4-.9-.6.1-.6.1-.6 1 .1 1.5 1 1.5 1 .9 1.6 2.4 1.1 3 .9 0-.7.3-1.1.6-1.4-2.2-.2-4.5-1.1-4.5-5 0-1 .4-2 1-2.6-.1-.3-.4-1.3.1-2.7 0 0 .8-.3 2.8 1a9.5 9.5 0 0 1 5 0c1.9-1.3 2.8-1 2.8-1 .5 1.4.2 2.4.1 2.7.6.7 1 1.6 1 2.6 0 3.9-2.3 4.7-4.6 5 .4.3.7.9.7 1.9V21c0 .3.2.6.7.5A10 10 0 0 0 12 2Z"/>',
  oidc: '<path fill="currentColor" fill-rule="evenodd" d="M8 6.5a5.5 5.5 0 1 0 5.2 7.3h2v2.4h2.8v-2.4h1.2v2.4H22v-5.2h-8.8A5.5 5.5 0 0 0 8 6.5Zm0 3.3a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4Z"/>',
}

function renderDocument(title: string, body: string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${hostedPageStyle}</style>
</head>
<body>
<main>
${body.join('\n')}
</main>
</body>
</html>
`
}

function strong(text: string): string {
  return `<strong>${escapeHtml(text)}</strong>`
}
