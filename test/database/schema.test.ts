import test from 'ava'
import { openOrm } from '../../src/database/orm.ts'
import { cloneDatabase, type TestDatabase } from '../support/database.ts'

/** Tables without an entity, because only SQL reads and writes them. */
const tablesWithoutEntity = [
  'api_resources',
  'api_keys',
  'client_tokens',
  'delegated_tokens',
  'delegations',
  'used_assertions',
  'management_apps',
  'management_secrets',
  'access_changes',
  'access_changes_horizon',
  'access_key_secrets',
  'activity_chain',
  'admin_tokens',
  'connection_domains',
  'connection_subjects',
  'connections',
  'consents',
  'custom_role_groups',
  'deleted_trees',
  'deleted_workspaces',
  'facts_epoch',
  'group_parents',
  'invitation_links',
  'invitation_mails',
  'logout_notifications',
  'logout_queues',
  'webhook_deliveries',
  'webhook_feed',
  'webhooks',
  'migrations',
  'passkey_handles',
  'passkeys',
  'refused_invitations',
  'resource_changes',
  'resource_changes_horizon',
  'resource_conditions',
  'resource_requirements',
  'resource_links',
  'resource_roles',
  'resource_types',
  'scim_group_members',
  'scim_groups',
  'scim_guards',
  'scim_tokens',
  'scim_users',
  'service_routes',
  'sign_in_code_mails',
  'sign_in_codes',
  'used_states',
  'workspace_counts',
  'workspace_ids',
  'wrong_sign_in_codes',
]

/** Columns without a property, because PostgreSQL generates them and only SQL reads them. */
const columnsWithoutProperty = ['activity.xid', 'client_redirect_uris.origin']

type Column = { table: string; column: string; type: string; nullable: boolean; default: boolean }

async function readColumns({ pool }: TestDatabase): Promise<Map<string, Column>> {
  const { rows } = await pool.query<Column>(`
    select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
      not a.attnotnull as nullable, a.atthasdef or a.attidentity <> '' as default
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and a.attnum > 0 and not a.attisdropped`)
  return new Map(rows.map((row) => [`${row.table}.${row.column}`, row]))
}

const typeNames: Record<string, string> = {
  int: 'integer',
  timestamptz: 'timestamp with time zone',
}

/** Returns the name that PostgreSQL uses for the type, without its precision. */
function typeName(columnType: string): string {
  const type = columnType.replace(/\(\d+\)/, '')
  return typeNames[type] ?? type
}

/** Returns the differences between the entities and the tables of a database. */
async function findDifferences(database: TestDatabase): Promise<string[]> {
  const columns = await readColumns(database)
  const orm = await openOrm(database.url)
  try {
    const differences: string[] = []
    const mapped = new Set<string>()
    for (const { tableName, props } of orm.getMetadata().getAll().values()) {
      for (const { fieldNames, columnTypes, nullable = false, ...property } of props) {
        const name = `${tableName}.${fieldNames[0]}`
        const column = columns.get(name)
        mapped.add(name)
        if (!column) {
          differences.push(`${name} does not exist`)
          continue
        }
        const type = typeName(columnTypes[0] ?? '')
        if (type !== column.type) differences.push(`${name} is ${column.type}, not ${type}`)
        if (nullable !== column.nullable)
          differences.push(`${name} is ${column.nullable ? '' : 'not '}nullable`)
        const hasDefault = property.default !== undefined || property.defaultRaw !== undefined
        if (hasDefault && !column.default) differences.push(`${name} has no default`)
      }
    }
    for (const [name, { table }] of columns) {
      if (mapped.has(name) || tablesWithoutEntity.includes(table)) continue
      if (!columnsWithoutProperty.includes(name)) differences.push(`${name} has no property`)
    }
    return differences.sort()
  } finally {
    await orm.close(true)
  }
}

test('the entities match the migrated schema', async (t) => {
  const database = await cloneDatabase()
  t.teardown(() => database.drop())
  t.deepEqual(await findDifferences(database), [])
})

test('a difference between entities and schema is reported', async (t) => {
  const database = await cloneDatabase()
  t.teardown(() => database.drop())
  await database.pool.query(`
    create table orphans (id uuid primary key);
    alter table users drop column avatar_url;
    alter table users alter column name drop not null, alter column name drop default;
    alter table groups alter column description type varchar(100);
    alter table members add column note text;
    alter table refresh_tokens rename to renewal_tokens`)
  t.deepEqual(await findDifferences(database), [
    'groups.description is character varying, not text',
    'members.note has no property',
    'orphans.id has no property',
    'refresh_tokens.access_expires_at does not exist',
    'refresh_tokens.access_scope does not exist',
    'refresh_tokens.access_token_id does not exist',
    'refresh_tokens.consumed_at does not exist',
    'refresh_tokens.family_id does not exist',
    'refresh_tokens.token_id does not exist',
    'renewal_tokens.access_expires_at has no property',
    'renewal_tokens.access_scope has no property',
    'renewal_tokens.access_token_id has no property',
    'renewal_tokens.consumed_at has no property',
    'renewal_tokens.family_id has no property',
    'renewal_tokens.token_id has no property',
    'users.avatar_url does not exist',
    'users.name has no default',
    'users.name is nullable',
  ])
})
