import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '../rpc/fault.ts'
import { Workspace } from '../storage/entities/people.ts'

/** There is no such workspace, or none that the caller may know of. */
export function workspaceMissing(): Fault {
  return new Fault('missing', 'WORKSPACE_NOT_FOUND', 'Workspace not found')
}

/** Tells an empty list of a workspace from the list of one that is not there. */
export async function requireKnownWorkspace(em: EntityManager, id: string): Promise<void> {
  if (!(await em.count(Workspace, { id }))) throw workspaceMissing()
}
