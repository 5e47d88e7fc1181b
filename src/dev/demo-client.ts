import { demo } from './demo-data.ts'
import { createDemoSignIn, type DemoSession, SignInRequiredError } from './demo-sign-in.ts'

/** The actions that a person may take on a document, and the reasons. */
export type DemoDocument = {
  title: string
  description: string
  decisions: { action: string; isAllowed: boolean; reason: string }[]
  /**
   * Set if the person may share the document with Carol. `isShared` is whether it is shared with
   * her.
   */
  sharing?: { isShared: boolean }
}

/** The demo application's client for daikon. */
export type DemoClient = ReturnType<typeof createDemoClient>

// biome-ignore lint/suspicious/noExplicitAny: the demo trusts daikon's responses
type Json = any

const descriptions = {
  roadmap: 'What we build next, and when.',
  handbook: 'How we work together.',
  salaries: 'Who earns what.',
}

/** Creates the sign-in and the permission checks of the demo application. */
export function createDemoClient({
  daikonUrl,
  serviceKey,
  clientId,
  appUrl,
}: {
  daikonUrl: string
  serviceKey: string
  clientId: string
  appUrl: string
}) {
  const { refreshIfNeeded, ...signIn } = createDemoSignIn({ daikonUrl, clientId, appUrl })

  return {
    ...signIn,

    /** Checks every document and requests explanations of the decisions. */
    async listDocuments(session: DemoSession): Promise<DemoDocument[]> {
      await refreshIfNeeded(session)
      const names = Object.keys(demo.documents) as (keyof typeof demo.documents)[]
      const checks = names.flatMap((name) =>
        ['view', 'edit', 'manage'].map((action) => ({ name, action })),
      )
      const [roadmap, { evaluations }] = await Promise.all([
        callDaikon(resourcePath(''), undefined, { 'x-service-key': serviceKey }),
        callDaikon(
          '/access/v1/evaluations',
          {
            subject: { type: 'access_token', id: session.accessToken },
            context: { explain: true },
            evaluations: checks.map(({ name, action }) => ({
              action: { name: action },
              resource: { type: demo.resource_type, id: name },
            })),
          },
          { 'x-service-key': serviceKey },
        ),
      ])
      const isShared = roadmap.shares.some(
        (share: Json) => share.grantee_id === demo.people.carol.id,
      )
      return names.map((name, index) => {
        const results = evaluations.slice(index * 3, index * 3 + 3)
        const [view, edit, manage] = results.map(
          ({ decision, context }: Json, position: number) => ({
            action: checks[index * 3 + position]?.action,
            isAllowed: decision,
            reason: context.reason_admin.en,
          }),
        )
        return {
          title: name,
          description: descriptions[name],
          decisions: [view, edit],
          ...(name === 'roadmap' && manage.isAllowed && { sharing: { isShared } }),
        }
      })
    },

    /** Returns daikon's server-sent events about changes of the person's permissions. */
    async followChanges(
      session: DemoSession,
      signal: AbortSignal,
    ): Promise<AsyncIterable<Uint8Array>> {
      await refreshIfNeeded(session)
      const headers = { authorization: `Bearer ${session.accessToken}` }
      const response = await fetch(`${daikonUrl}/users/me/changes`, { headers, signal })
      if (response.status === 401) throw new SignInRequiredError('Your session has ended')
      if (!response.ok || !response.body) throw new Error(`daikon returned ${response.status}`)
      return response.body
    },

    /** Shares the roadmap with Carol, or removes that share, on behalf of the person. */
    async changeShare(session: DemoSession, isShared: boolean): Promise<void> {
      await refreshIfNeeded(session)
      const body = {
        grantee_type: 'user',
        grantee_id: demo.people.carol.id,
        permission: 'view',
      }
      const headers = {
        authorization: `Bearer ${session.accessToken}`,
        'x-service-key': serviceKey,
      }
      await callDaikon(resourcePath('/share'), body, headers, isShared ? 'POST' : 'DELETE')
    },
  }

  function resourcePath(suffix: string): string {
    return `/permissions/resource/${demo.service_name}/${demo.resource_type}/roadmap${suffix}`
  }

  async function callDaikon(
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
    method = body ? 'POST' : 'GET',
  ): Promise<Json> {
    const response = await fetch(daikonUrl + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const json = (await response.json()) as Json
    if (response.status === 401) throw new SignInRequiredError('Your session has ended')
    if (!response.ok) throw new Error(json.detail)
    return json
  }
}
