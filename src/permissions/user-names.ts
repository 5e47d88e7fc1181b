import { normalizeEmail } from '../core/email.ts'
import type { PrincipalStore } from './store/principal-store.ts'

/** How a request names a user: by one of these. */
export type NamedUser = {
  id: string | undefined
  email: string | undefined
  externalId: string | undefined
}

/** The ID of no user or group, for names that are unknown. */
export const noPrincipal = '00000000-0000-0000-0000-000000000000'

/**
 * Returns the IDs of the users that requests name, in lower case. A name that no user has becomes an
 * ID that no user has, so that unknown names and users outside the workspace cause the same errors.
 */
export async function findUserIds(
  principals: PrincipalStore,
  names: NamedUser[],
): Promise<string[]> {
  const emails = names.flatMap((name) => emailOf(name) ?? [])
  const externalIds = names.flatMap(({ externalId }) => externalId ?? [])
  const { byEmail, byExternalId } = await principals.findUsers({ emails, externalIds })
  return names.map((name) => {
    if (name.id) return name.id.toLowerCase()
    const email = emailOf(name)
    const found = email === undefined ? byExternalId.get(name.externalId ?? '') : byEmail.get(email)
    return found ?? noPrincipal
  })
}

function emailOf({ email }: NamedUser): string | undefined {
  return email && normalizeEmail(email)
}
