import type { SessionScope, SignedIn } from './ports.ts'
import type { EnforcementStore } from './store/enforcement-store.ts'
import { signInTooWeak } from './user-errors.ts'

/** Limits a scope: sessions that began with a code by e-mail don't reach workspaces that refuse them. */
export function refuseWeakSessions(
  scope: SessionScope,
  enforcements: Pick<EnforcementStore, 'listRefusingCodes'>,
): SessionScope {
  const listRefusing = async ({ provider }: SignedIn, ids: string[]) =>
    provider === 'email' && ids.length > 0 ? await enforcements.listRefusingCodes(ids) : []
  const refuses = async (session: SignedIn, workspaceId: string) =>
    (await listRefusing(session, [workspaceId])).length > 0
  return {
    async filter(session, workspaces) {
      const reached = await scope.filter(session, workspaces)
      const ids = reached.map(({ id }) => id)
      const refusing = await listRefusing(session, ids)
      return reached.filter(({ id }) => !refusing.includes(id))
    },
    async find(session, workspaceId) {
      const access = await scope.find(session, workspaceId)
      if (!access.isAllowed || !(await refuses(session, workspaceId))) return access
      return { isAllowed: false, isTooWeak: true }
    },
    async require(session, workspaceId) {
      if (await refuses(session, workspaceId)) throw signInTooWeak()
      return scope.require(session, workspaceId)
    },
  }
}
