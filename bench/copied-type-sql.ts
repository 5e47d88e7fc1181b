import { kind } from './data-set.ts'

/** A resource type with copies of documents and their shares. */
type CopiedType = {
  type: string
  /** Which documents are copied: a condition on their rows. */
  where?: string
  /** The role that replaces each permission of the shares. */
  roles?: Record<'view' | 'edit', string>
  /** A condition of all shares, and the values of its parameters. */
  condition?: Condition & { params: object }
}

export type Condition = { name: string; expression: string; parameters: Record<string, string> }

/** The amount of a request must be at most the limit of a share. */
export const amountLimit = {
  name: 'small',
  expression: 'context.amount <= params.limit',
  parameters: { limit: 'double' },
  params: { limit: 100 },
}
/** An amount within the limit of all shares. */
export const smallAmount = 50
/** An amount beyond the limit of all shares. */
export const largeAmount = 500

/** Returns the statements that declare a type and copy documents of the data set to it. */
export function copiedTypeSql({ type, where = 'true', roles, condition }: CopiedType): string[] {
  const copied = (type: string) => `(select id from resource_kinds
    where service_name = '${kind.service_name}' and resource_type = '${type}')`
  const documents = copied(kind.resource_type)
  const permission = roles
    ? `case s.permission when 'edit' then '${roles.edit}' else '${roles.view}' end`
    : `'${condition ? '?' : ''}' || s.permission`
  return [
    `insert into resource_kinds (service_name, resource_type)
     values ('${kind.service_name}', '${type}')`,
    `insert into resource_types (kind_id, id, description)
     values (${copied(type)}, gen_random_uuid(), '')`,
    ...Object.entries(roles ?? {}).map(
      ([action, name], position) => `
        insert into resource_roles (kind_id, name, description, actions, position)
        values (${copied(type)}, '${name}', '', '{${action === 'edit' ? 'view,edit' : 'view'}}', ${position})`,
    ),
    ...(condition
      ? [
          `insert into resource_conditions
             (kind_id, name, description, expression, parameters, position)
           values (${copied(type)}, '${condition.name}', '', '${condition.expression}',
             '${JSON.stringify(condition.parameters)}', 0)`,
        ]
      : []),
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), ${copied(type)}, resource_id, workspace_id, owner_id, visibility
     from resources r where kind_id = ${documents} and ${where}`,
    `insert into shares (id, kind_id, resource_id, workspace_id, user_id, group_id, permission,
       condition, params)
     select gen_random_uuid(), ${copied(type)}, s.resource_id, s.workspace_id, s.user_id,
       s.group_id, ${permission}, ${condition ? `'${condition.name}'` : 'null'},
       ${condition ? `'${JSON.stringify(condition.params)}'` : 'null'}
     from shares s join resources r using (kind_id, resource_id)
     where s.kind_id = ${documents} and ${where}`,
  ]
}
