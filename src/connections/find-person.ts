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
  /** Whether the person has signed in by the connection before. */
  isKnown: boolean
}

/**
 * Returns the user whom the provider of a connection means: the one who has signed in with the subject,
 * the one to whom the directory gave an ID that the token carries, the one whom the directory calls by
 * the address today, or the one who has the address. Creates the user if there is none. Returns
 * undefined if the token does not identify one person.
 */
export async function findPerson(
  tx: PersonStores,
  { id, workspaceId }: { id: string; workspaceId: string },
  { subject, email, claims }: Asserted,
): Promise<FoundPerson | undefined> {
  const known = await tx.connectionSubjects.find(id, subject)
  if (known) {
    const userName = await tx.directory.findName(known)
    return { userId: known.userId, userName, isKnown: true }
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
