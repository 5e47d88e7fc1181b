import type { Field } from './errors.ts'

/** What the client calls the fields of the API. */
const argumentNames: Record<string, string> = {
  'action.name': 'action',
  allow_public: 'allowPublic',
  'context.workspace_id': 'workspaceId',
  display_name: 'displayName',
  dry_run: 'dryRun',
  expires_at: 'expiresAt',
  external_id: 'resource.id',
  grantee_email: 'grantee.email',
  grantee_external_id: 'grantee.externalId',
  grantee_id: 'grantee',
  grantee_type: 'grantee',
  group_name: 'grantee.group',
  link_id: 'linkId',
  owner_email: 'ownerEmail',
  owner_external_id: 'ownerExternalId',
  owner_id: 'ownerId',
  'parent.resource_id': 'parent.id',
  'parent.resource_type': 'parent.type',
  permission: 'grant',
  resource_id: 'resource.id',
  resource_type: 'resource.type',
  role: 'grant.role',
  'subject.id': 'subject',
  'subject.type': 'subject',
  workspace_id: 'workspaceId',
}

/** Names the arguments of the client in the fields of an error of the API. */
export function nameArguments(fields: readonly Field[]): Field[] {
  return fields.map(({ field, message }) => {
    const [, list, index = '', name = ''] =
      /^(?:(shares|resources)(\[\d+\]\.?))?(.*)$/.exec(field) ?? []
    const prefix = list === 'resources' ? 'registrations' : (list ?? '')
    return {
      field: `${prefix}${index}${argumentNames[name] ?? name}`,
      message: nameArgumentsIn(message),
    }
  })
}

/** Names the arguments of the client in a message of the API. */
export function nameArgumentsIn(message: string): string {
  return message.replace(/\b[a-z]+(_[a-z]+)+\b/g, (name) => argumentNames[name] ?? name)
}
