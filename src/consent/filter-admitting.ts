import type { RedirectingClient } from '../identity/store/client-store.ts'
import type { ConsentStore } from './store/consent-store.ts'

/** Returns the workspaces that admit a client. Owners can refuse those that nobody registered. */
export async function filterAdmitting<Workspace extends { id: string }>(
  { consents }: { consents: ConsentStore },
  { external }: RedirectingClient,
  workspaces: Workspace[],
): Promise<Workspace[]> {
  if (!external || workspaces.length === 0) return workspaces
  const admitting = await consents.listAdmitting(workspaces.map(({ id }) => id))
  return workspaces.filter(({ id }) => admitting.includes(id))
}
