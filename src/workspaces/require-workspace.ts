import type { EntityManager } from '@mikro-orm/postgresql'
import { ServiceError } from '../core/errors.ts'
import { Workspace } from '../database/entities/people.ts'

/** There is no such workspace, or none that the principal may know of. */
export function workspaceMissing(): ServiceError {
  return new ServiceError('not_found', 'WORKSPACE_NOT_FOUND', 'Workspace not found')
}

/** Tells an empty list of a workspace from the list of one that is not there. */
export async function requireKnownWorkspace(em: EntityManager, id: string): Promise<void> {
  if (!(await em.count(Workspace, { id }))) throw workspaceMissing()
}
