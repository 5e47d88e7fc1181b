import type { RegisterResourceRequest } from '../../gen/daikon/v1/permissions.ts'
import type { PrincipalStore } from './store/principal-store.ts'
import { findUserIds } from './user-names.ts'

/** The fields that name the owner of a resource. Field rules require exactly one of them. */
const ownerFields = ['owner_id', 'owner_email', 'owner_external_id'] as const

type OwnerField = (typeof ownerFields)[number]

type OwnerNames = Pick<RegisterResourceRequest, OwnerField>

/** Returns the field with which a request names the owner. */
export function ownerFieldOf(request: OwnerNames): OwnerField {
  return ownerFields.find((field) => request[field]) ?? 'owner_id'
}

/** Returns the IDs of the owners that requests name, like `findUserIds`. */
export async function findOwnerIds(
  principals: PrincipalStore,
  requests: OwnerNames[],
): Promise<string[]> {
  const names = requests.map(({ owner_id, owner_email, owner_external_id }) => ({
    id: owner_id,
    email: owner_email,
    externalId: owner_external_id,
  }))
  return findUserIds(principals, names)
}
