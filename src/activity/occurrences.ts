/** Every recorded occurrence: what it happens to, and what its detail tells (specification 6). */
export const occurrences = {
  'user.signed_in': { target: 'user', detail: ['provider'] },
  'admin.signed_in': { target: 'user', detail: ['provider'] },
  'permission.visibility_changed': {
    target: 'permission',
    detail: ['service_name', 'resource_type', 'resource_id', 'from', 'to'],
  },
  'permission.shared': {
    target: 'permission',
    detail: [
      'service_name',
      'resource_type',
      'resource_id',
      'grantee_type',
      'grantee_id',
      'permission',
    ],
  },
  'permission.share_revoked': {
    target: 'permission',
    detail: [
      'service_name',
      'resource_type',
      'resource_id',
      'grantee_type',
      'grantee_id',
      'permission',
    ],
  },
} as const

export type Occurrence = keyof typeof occurrences

/** The payload that goes with an occurrence, by its row of the table. */
export type Detail<Name extends Occurrence> = Record<
  (typeof occurrences)[Name]['detail'][number],
  string
>
