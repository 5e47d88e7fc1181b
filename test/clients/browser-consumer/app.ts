import {
  type Check,
  createDaikonBrowser,
  DaikonError,
  type DaikonEvent,
  InvalidArgumentError,
  SessionEndedError,
  SignInError,
  UnavailableError,
  type User,
  type Workspace,
} from '@daikon-auth/browser'

export const daikon = createDaikonBrowser({
  issuer: 'https://auth.example.com',
  clientId: '0d000000-0000-7000-8000-000000000003',
  redirectUri: `${location.origin}/callback`,
  postLogoutRedirectUri: undefined,
  service: 'docs',
  storage: 'sessionStorage',
})

export async function useEverything(): Promise<string> {
  const user: User | null = await daikon.start()
  if (!user) await daikon.signIn({ prompt: 'none', workspace: 'acme', returnTo: '/documents' })
  const checks: Check[] = [{ action: 'view', resource: { type: 'document', id: 'roadmap' } }]
  const [canView]: (boolean | undefined)[] = await daikon.canMany(checks)
  const canEdit: boolean = await daikon.can('edit', { type: 'page', id: '1', service: 'wiki' })
  const workspaces: Workspace[] = await daikon.workspaces()
  const stop: () => void = daikon.subscribe((event: DaikonEvent) => {
    if (event.type === 'unavailable') console.log(event.retryInMs, event.error.reason)
    if (event.type === 'sessionEnded') void daikon.signIn()
    if (event.type === 'signedIn') console.log(event.user.workspace.slug)
  })
  stop()
  const switched: User = await daikon.switchWorkspace(workspaces[0]?.id ?? '')
  await daikon.signOut({ redirect: false })
  return `${canView} ${canEdit} ${switched.name} ${await daikon.getAccessToken({ forceRefresh: true })}`
}

export function describe(error: unknown): string {
  if (error instanceof SessionEndedError || error instanceof SignInError) return 'sign in again'
  if (error instanceof UnavailableError) return `retry after ${error.retryAfterMs ?? 1000} ms`
  if (error instanceof InvalidArgumentError) return error.fields.map(({ field }) => field).join()
  return error instanceof DaikonError ? error.code : 'unknown'
}

// @ts-expect-error clientId is missing
createDaikonBrowser({ issuer: 'https://auth.example.com', redirectUri: location.href })
// @ts-expect-error a resource has a type
daikon.can('view', { id: 'roadmap' })
