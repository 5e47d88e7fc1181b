import type { ShareItem } from '../../gen/daikon/v1/permissions.ts'
import type { FieldViolation } from '../core/errors.ts'
import type { PrincipalStore } from './store/principal-store.ts'
import type { Grantee } from './store/share-store.ts'
import { findUserIds, noPrincipal } from './user-names.ts'

/** The fields that name the grantee of a share. Field rules require exactly one of them. */
const granteeFields = ['grantee_id', 'grantee_email', 'grantee_external_id', 'group_name'] as const

export type GranteeField = (typeof granteeFields)[number]

export type GranteeNames = Pick<ShareItem, GranteeField | 'grantee_type'>

/** Returns the field with which a request names the grantee. */
export function granteeFieldOf(request: GranteeNames): GranteeField {
  return granteeFields.find((field) => request[field]) ?? 'grantee_id'
}

/** Returns what is wrong with the type of the grantee in a request. */
export function findGranteeViolation(request: GranteeNames): FieldViolation | undefined {
  const field = granteeFieldOf(request)
  const type = request.grantee_type || undefined
  if (field === 'grantee_id') {
    if (type !== undefined) return undefined
    return { field: 'grantee_type', message: 'is required with grantee_id' }
  }
  const only = granteeTypeOf(request)
  if (type === undefined || type === only) return undefined
  return { field: 'grantee_type', message: `must be ${only} with ${field}` }
}

/**
 * Returns the grantees that requests name, with IDs in lower case. A name that no user or group of
 * the workspace has becomes an ID that none has.
 */
export async function findGrantees(
  principals: PrincipalStore,
  requests: (GranteeNames & { workspaceId: string })[],
): Promise<Grantee[]> {
  const userIds = await findUserIds(
    principals,
    requests.map(({ grantee_id, grantee_email, grantee_external_id }) => ({
      id: grantee_id,
      email: grantee_email,
      externalId: grantee_external_id,
    })),
  )
  const groups = requests.flatMap(({ workspaceId, group_name }) =>
    group_name ? [{ workspaceId, name: group_name.trim() }] : [],
  )
  const groupIds = await principals.findGroups(groups)
  const found = groupIds[Symbol.iterator]()
  return requests.map((request, index) => {
    const type = granteeTypeOf(request)
    const id = request.group_name ? found.next().value : userIds[index]
    return { type, id: id ?? noPrincipal }
  })
}

function granteeTypeOf(request: GranteeNames): Grantee['type'] {
  const field = granteeFieldOf(request)
  if (field === 'group_name') return 'group'
  return field === 'grantee_id' && request.grantee_type === 'group' ? 'group' : 'user'
}
