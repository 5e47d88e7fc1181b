import { escapeHtml } from '../core/escape-html.ts'

/** What a client asks a user for (oauth.proto). */
export type ConsentOfPage = {
  title: string
  unicode_host?: string | undefined
  self_given_name?: string | undefined
  receiver?: string | undefined
  workspaces: { id: string; name: string; role: string }[]
  resource_name?: string | undefined
  scopes: string[]
  is_temporary: boolean
}

/**
 * Renders the parts of the page above its form. Names are isolated, so that the direction of one changes
 * nothing around it.
 */
export function renderConsent(consent: ConsentOfPage): string[] {
  const { title, unicode_host, self_given_name, receiver, resource_name, scopes } = consent
  const api = resource_name === undefined ? '' : ` to ${isolate(resource_name)}`
  return [
    `<h1 class="client">${isolate(title)}</h1>`,
    ...(unicode_host === undefined ? [] : [`<p class="unicode">${isolate(unicode_host)}</p>`]),
    `<p>asks for access${api} in your name${describeWorkspace(consent)}.</p>`,
    ...(self_given_name === undefined
      ? []
      : [
          `<p class="claim">It calls itself “${isolate(self_given_name)}”. This name is not verified.</p>`,
        ]),
    '<h2>It will be able to</h2>',
    `<ul class="scopes">${scopes.map((text) => `<li>${isolate(text)}</li>`).join('')}</ul>`,
    `<p>Your answer goes to ${receiver === undefined ? 'a program on this computer' : isolate(receiver)}.${consent.is_temporary ? ' You will be asked each time.' : ''}</p>`,
  ]
}

function describeWorkspace({ workspaces: [workspace, ...others] }: ConsentOfPage): string {
  return workspace && others.length === 0 ? `, in the workspace ${isolate(workspace.name)}` : ''
}

/** Renders the choice between several workspaces, of which none is chosen. */
export function renderWorkspaceChoice({ workspaces }: ConsentOfPage): string[] {
  if (workspaces.length < 2) return []
  const choices = workspaces.map(
    ({ id, name, role }) =>
      `<label class="choice"><input type="radio" name="workspace" value="${escapeHtml(id)}" required><span>${isolate(name)}<small>${escapeHtml(role)}</small></span></label>`,
  )
  return ['<fieldset><legend>In the workspace</legend>', ...choices, '</fieldset>']
}

/**
 * Returns the source that a policy must allow as the target of the form: where the answer goes is one, too,
 * because browsers also check the redirects that follow.
 */
export function formSourceOf({ fields }: { fields: { name: string; value: string }[] }): string {
  const uri = fields.find(({ name }) => name === 'redirect_uri')?.value ?? ''
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*:/i.exec(uri) ?? []
  return scheme
}

function isolate(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`
}
