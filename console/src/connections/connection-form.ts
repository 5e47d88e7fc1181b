import { ApiError } from '../api/api-error.ts'
import type { Schemas } from '../api/client.ts'
import { toLines } from '../ui/lines.ts'
import type { Connection } from './connection-queries.ts'

type Role = NonNullable<Schemas['ConnectionCreateRequest']['default_role']>

/** What a value of a claim gives: a row of the form. */
export type RoleRow = { value: string; role: string }
export type GroupRow = { value: string; group_id: string | null }

/** The fields of a connection. Lists of texts are edited as text with one item per line. */
export type ConnectionFields = {
  name: string
  issuer: string
  domains: string
  client_id: string
  client_secret: string
  scopes: string
  default_role: string
  role_claim: string
  roles: RoleRow[]
  groups_claim: string
  groups: GroupRow[]
}

export const emptyRoleRow: RoleRow = { value: '', role: 'viewer' }
export const emptyGroupRow: GroupRow = { value: '', group_id: null }

export const emptyConnection: ConnectionFields = {
  name: '',
  issuer: '',
  domains: '',
  client_id: '',
  client_secret: '',
  scopes: 'openid\nemail\nprofile',
  default_role: 'viewer',
  role_claim: '',
  roles: [],
  groups_claim: '',
  groups: [],
}

export function toConnectionFields(connection: Connection): ConnectionFields {
  const { name, issuer, client_id, domains, scopes, default_role } = connection
  const { role_claim, roles, groups_claim, groups } = connection.mapping ?? {}
  return {
    name,
    issuer,
    domains: domains.map(({ domain }) => domain).join('\n'),
    client_id,
    client_secret: '',
    scopes: scopes.join('\n'),
    default_role,
    role_claim: role_claim ?? '',
    roles: Object.entries(roles ?? {}).map(([value, role]) => ({ value, role: String(role) })),
    groups_claim: groups_claim ?? '',
    groups: Object.entries(groups ?? {}).map(([value, id]) => ({ value, group_id: String(id) })),
  }
}

/** The settings of the provider. The secret remains if its field is empty. */
export function toProviderBody({
  name,
  issuer,
  client_id,
  client_secret,
  scopes,
}: ConnectionFields) {
  return {
    name,
    issuer: issuer.trim(),
    client_id: client_id.trim(),
    scopes: toLines(scopes),
    ...(client_secret && { client_secret }),
  }
}

/** @throws {ApiError} if a row is incomplete or a value listed twice */
export function toMappingBody(fields: ConnectionFields) {
  requireCompleteRows(fields)
  const { default_role, role_claim, roles, groups_claim, groups } = fields
  const byRole = Object.fromEntries(roles.map(({ value, role }) => [value.trim(), role]))
  const byGroup = Object.fromEntries(groups.map(({ value, group_id }) => [value.trim(), group_id]))
  return {
    default_role: default_role as Role,
    mapping: {
      ...(role_claim.trim() && { role_claim: role_claim.trim() }),
      ...(groups_claim.trim() && { groups_claim: groups_claim.trim() }),
      // The generated type of an object with any members has none.
      roles: byRole as Record<string, never>,
      groups: byGroup as Record<string, never>,
    },
  }
}

function requireCompleteRows({ role_claim, roles, groups_claim, groups }: ConnectionFields): void {
  const required = 'is required'
  const errors = [
    ...findValueErrors('roles', roles),
    ...findValueErrors('groups', groups),
    ...groups.flatMap(({ group_id }, index) =>
      group_id ? [] : [{ field: `groups.${index}.group_id`, message: required }],
    ),
    ...(roles.length > 0 && !role_claim.trim() ? [{ field: 'role_claim', message: required }] : []),
    ...(groups.length > 0 && !groups_claim.trim()
      ? [{ field: 'groups_claim', message: required }]
      : []),
  ]
  if (errors.length > 0) throw new ApiError(422, { errors })
}

function findValueErrors(list: 'roles' | 'groups', rows: { value: string }[]) {
  const values = rows.map(({ value }) => value.trim())
  return values.flatMap((value, index) => {
    const field = `${list}.${index}.value`
    if (!value) return [{ field, message: 'is required' }]
    return values.indexOf(value) < index ? [{ field, message: 'is already listed above' }] : []
  })
}

/** @throws {ApiError} if a field is empty */
export function requireFilled(
  fields: ConnectionFields,
  names: ('name' | 'issuer' | 'domains' | 'client_id' | 'client_secret')[],
): void {
  const missing = names.filter((name) => !fields[name].trim())
  if (missing.length === 0) return
  const errors = missing.map((field) => ({ field, message: 'is required' }))
  throw new ApiError(422, { errors })
}

/** Sends the fields of a form. An error has the names of the form's fields. */
export async function sendFields<Result>(
  fields: ConnectionFields,
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw error.renameFields((field) => toFormField(field, fields))
  }
}

/** Returns the field of the form for one of the API: a row for `mapping.groups.<value>`. */
function toFormField(field: string, { roles, groups }: ConnectionFields): string {
  const [, list, value] = /^mapping\.(roles|groups)\.(.*)$/s.exec(field) ?? []
  const rows: { value: string }[] = list === 'roles' ? roles : groups
  const index = rows.findIndex((row) => row.value.trim() === value)
  if (index === -1) return field.replace(/^mapping\./, '')
  return `${list}.${index}.${list === 'roles' ? 'role' : 'group_id'}`
}
