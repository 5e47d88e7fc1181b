import { ServiceError } from '../../core/errors.ts'
import {
  type Attribute,
  externalId,
  groupSchema,
  groupSchemas,
  type ResourceSchemas,
  userSchema,
  userSchemas,
} from '../attributes.ts'
import { parsePath, type Target } from '../path.ts'
import { reasons } from '../reasons.ts'
import type { Column, FindSource, Values } from './filter-sql.ts'

/** Common attributes (RFC 7643, section 3.1) that filters may name. */
const common: Attribute[] = [
  externalId,
  { name: 'id', type: 'string', description: '' },
  { name: 'schemas', type: 'reference', description: '', multiValued: true },
  {
    name: 'meta',
    type: 'complex',
    description: '',
    subAttributes: ['created', 'lastModified', 'resourceType'].map((name) => ({
      name,
      type: 'string',
      description: '',
    })),
  },
]

const column = (sql: string, type: Column['type']): Column => ({ sql, type })

/** Attributes that are not in the JSON of a resource, by their names or paths of two names. */
type Sources = Record<string, Column | Values>

function listOf(from: string, columns: Record<string, Column>): Values {
  return {
    from,
    findColumn: (name) =>
      Object.entries(columns).find(([known]) => known === name.toLowerCase())?.[1],
  }
}

/** Whether the person of `scim_users s` is a member. */
export const isMemberSql = `exists (
    select from live_members m where m.workspace_id = s.workspace_id and m.user_id = s.user_id
  )`

/** Whether the member who is the person `s` is a guest. */
export const isGuestSql = `exists (
    select from live_members m
    where m.workspace_id = s.workspace_id and m.user_id = s.user_id and m.is_guest
  )`

const userSources: Sources = {
  id: column('s.user_id', 'uuid'),
  userName: column('s.user_name', 'lower'),
  externalId: column('s.external_id', 'exact'),
  active: column(isMemberSql, 'boolean'),
  groups: listOf(
    `(select sg.group_id, g.name from scim_group_members sg join groups g on g.id = sg.group_id
      where sg.workspace_id = s.workspace_id and sg.user_id = s.user_id) v`,
    { value: column('v.group_id', 'uuid'), display: column('v.name', 'text') },
  ),
  schemas: listOf(
    `(select '${userSchema.id}' as id ${userSchemas.extensions
      .map(({ id }) => `union all select '${id}' where s.attributes -> '${id}' is not null`)
      .join(' ')}) v`,
    { value: column('v.id', 'text') },
  ),
  'meta.created': column('s.created_at', 'time'),
  'meta.lastModified': column('s.updated_at', 'time'),
  'meta.resourceType': column(`'User'::text`, 'exact'),
}

/** When a group changed last, of `groups g left join scim_groups s`. */
export const groupUpdatedSql = 'coalesce(s.updated_at, g.created_at)'

const groupSources: Sources = {
  id: column('g.id', 'uuid'),
  displayName: column('g.name', 'text'),
  externalId: column('s.external_id', 'exact'),
  members: listOf(
    `(select sg.user_id, u.user_name from scim_group_members sg
      join scim_users u on u.workspace_id = sg.workspace_id and u.user_id = sg.user_id
      where sg.group_id = g.id) v`,
    { value: column('v.user_id', 'uuid'), display: column('v.user_name', 'lower') },
  ),
  schemas: listOf(`(select '${groupSchema.id}' as id) v`, { value: column('v.id', 'text') }),
  'meta.created': column('g.created_at', 'time'),
  'meta.lastModified': column(groupUpdatedSql, 'time'),
  'meta.resourceType': column(`'Group'::text`, 'exact'),
}

/** Finds the values of an attribute of a person, of `scim_users s`. */
export const findUserSource: FindSource = (path) => findSource(path, userSchemas, userSources)

/** Finds the values of an attribute of a group, of `groups g left join scim_groups s`. */
export const findGroupSource: FindSource = (path) => findSource(path, groupSchemas, groupSources)

function findSource(
  path: string,
  schemas: ResourceSchemas,
  own: Sources,
): Column | Values | undefined {
  const target = tryParsePath(path, schemas)
  const { schema, attribute, sub } = target ?? {}
  if (!schema || !attribute) return undefined
  if (schema === schemas.core) {
    const source = own[sub ? `${attribute.name}.${sub.name}` : attribute.name]
    if (source) return source
    const values = own[attribute.name]
    if (values) return sub && 'from' in values ? ofSub(values, sub.name) : undefined
    if (schemas === groupSchemas || attribute.name === 'meta') return undefined
  }
  const container = schema === schemas.core ? 's.attributes' : `s.attributes -> '${schema.id}'`
  return findJson(container, attribute, sub)
}

/** Returns undefined for what is no path, too. */
function tryParsePath(path: string, schemas: ResourceSchemas): Target | undefined {
  try {
    return parsePath(path, schemas, common)
  } catch (error) {
    if (error instanceof ServiceError && error.reason === reasons.INVALID_PATH.name)
      return undefined
    throw error
  }
}

/** The values of a sub-attribute, such as `emails.type`, as those of the attribute itself. */
function ofSub({ from, findColumn }: Values, sub: string): Values | undefined {
  const found = findColumn(sub)
  return found && { from, findColumn: (name) => (name === 'value' ? found : undefined) }
}

/** Finds the values of an attribute that is a member of a JSON object. All names are of schemas. */
function findJson(
  container: string,
  attribute: Attribute,
  sub: Attribute | undefined,
): Column | Values | undefined {
  const { name, type, multiValued, subAttributes = [] } = attribute
  const member = `${container} -> '${name}'`
  if (multiValued) {
    const columns = subAttributes.map((one): [string, Column] => [
      one.name.toLowerCase(),
      toColumn(`v.item ->> '${one.name}'`, one),
    ])
    const values = listOf(`jsonb_array_elements(${member}) as v(item)`, Object.fromEntries(columns))
    return sub ? ofSub(values, sub.name) : values
  }
  if (type !== 'complex') return toColumn(`${container} ->> '${name}'`, attribute)
  // Entra ID compares a manager with an ID.
  const compared = sub ?? subAttributes.find((one) => one.name === 'value')
  return compared
    ? toColumn(`${member} ->> '${compared.name}'`, compared)
    : column(member, 'object')
}

function toColumn(sql: string, { type, caseExact }: Attribute): Column {
  if (type === 'boolean') return column(`(${sql})::boolean`, 'boolean')
  return column(`(${sql})`, caseExact || type === 'reference' ? 'exact' : 'text')
}
