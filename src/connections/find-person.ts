import type { ConnectionPorts } from './ports.ts'
import type { ConnectionSubjectStore } from './store/connection-subject-store.ts'

type PersonStores = ConnectionPorts & { connectionSubjects: ConnectionSubjectStore }

/** What an ID token says about who a person is. */
type Asserted = { subject: string; email: string; claims: Record<string, unknown> }

/** The user whom an ID token means. */
export type FoundPerson = {
  userId: string
  /** What the directory calls them today, if it has provisioned them. */
  userName: string | undefined
  /** Whether the person has signed in through the connection before. */
  isKnown: boolean
}

/**
 * Finds the user that a token of a connection identifies, by the first of these that matches:
 *
 * 1. the subject, if the user has signed in with it before
 * 2. an ID in the token that the directory has provisioned
 * 3. the address, as the current `userName` in the directory
 * 4. the address of a user, who is created if there is none
 *
 * Returns undefined if the token does not identify exactly one person.
 */
export async function findPerson(
  tx: PersonStores,
  { id, workspaceId }: { id: string; workspaceId: string },
  { subject, email, claims }: Asserted,
): Promise<FoundPerson | undefined> {
  const signedInBefore = await tx.connectionSubjects.find(id, subject)
  if (signedInBefore) {
    const userName = await tx.directory.findName(signedInBefore)
    return { userId: signedInBefore.userId, userName, isKnown: true }
  }
  const [provisioned, another] = await tx.directory.findByExternalIds(
    workspaceId,
    readExternalIds(subject, claims),
  )
  if (another) return undefined
  if (provisioned) return { ...provisioned, isKnown: false }
  const named = await tx.directory.findIdByName(workspaceId, email)
  if (named !== undefined) return { userId: named, userName: email, isKnown: false }
  const userId = await tx.directory.ensureUser(workspaceId, email)
  return userId === undefined ? undefined : { userId, userName: undefined, isKnown: false }
}

/**
 * Returns the IDs in a token that a directory may also send as `externalId`: Okta sends the subject,
 * and Microsoft Entra ID can send the object ID.
 */
function readExternalIds(subject: string, claims: Record<string, unknown>): string[] {
  const ids = ['oid', 'externalId'].map((name) =>
    Object.hasOwn(claims, name) ? claims[name] : undefined,
  )
  return [subject, ...ids].filter((id) => typeof id === 'string' && id !== '') as string[]
}
