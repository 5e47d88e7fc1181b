import { isUuid } from './uuid.ts'

/** The slugs that no workspace can have (workspaces.proto). */
const reserved = ['all', 'admin', 'api', 'auth', 'www']

/** Whether a text can be the slug of a new workspace, by the rules of CreateWorkspace. */
export function isSlug(text: string): boolean {
  const isWellFormed = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/.test(text)
  return isWellFormed && !reserved.includes(text) && !isUuid(text)
}
