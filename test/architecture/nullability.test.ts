import test from 'ava'
import pg from 'pg'
import { cloneDatabase } from '../support/database.ts'
import { createDescribe } from '../support/statements/describe.ts'

const { url, drop } = await cloneDatabase()
const client = new pg.Client(url)
await client.connect()
const describe = await createDescribe(client)
test.after.always(async () => {
  await client.end()
  await drop()
})

/** Statements whose first column may be null. */
const nullable = {
  'a column that may be null': 'select external_id from users',
  'an outer join': 'select w.name from members m left join workspaces w on w.id = m.workspace_id',
  'the other side of an outer join': 'select m.role from members m right join users on true',
  'a full join': 'select w.id from workspaces w full join groups g on g.workspace_id = w.id',
  'a join inside an outer join':
    'select w.id from users u left join (members m join workspaces w on w.id = m.workspace_id) on true',
  'a subquery': 'select (select name from users where id = $1)',
  'a subquery without groups and with a condition': 'select (select count(*) having false)',
  'an aggregate without groups': 'select max(name) from users',
  'an aggregate with a filter': `select max(name) filter (where name > 'b') from users group by id`,
  'a case without an else': 'select case when is_active then id end from users',
  'a member of JSON': `select json_build_object('a', 1) ->> 'a'`,
  'an expression of a column': 'select lower(external_id) || name from users',
  'a column of a query': 'with q as (select external_id as id from users) select q.id from q',
  'a union': 'select id::text from users union all select external_id from users',
  'a recursive query':
    'with recursive q (id) as (select 1 union all select null from q) select id from q',
  'a column that the statement changes':
    'update users set external_id = null where external_id is not null returning external_id',
  'a condition of another table':
    'select a.external_id from users a join users b on b.external_id is not null',
  'a condition of an alternative':
    'select external_id from users where external_id = $1 or name = $2',
  'a condition of the outer join': `select u.external_id from users u
    left join members m on u.external_id is not null`,
  'a parameter that may be null': 'select $1::text from users where $1 is null or name = $1',
  'an element of a list': 'select name from unnest($1::text[]) name',
  'a column of a view': 'select u.external_id from live_members m join users u on u.id = m.user_id',
  'a service account': 'select email from users where workspace_id is not null',
}

/** Statements whose first column is never null. */
const present = {
  'a required column': 'select id from users',
  'a join': 'select w.name from members m join workspaces w on w.id = m.workspace_id',
  'the kept side of an outer join': 'select u.id from users u left join members on true',
  'an outer join with a condition': `select m.role from users u
    left join members m on m.user_id = u.id where m.workspace_id = $1`,
  'a required value': 'select external_id from users where external_id = any($1)',
  'an address of people': 'select email from users where workspace_id is null',
  'a view': 'select role, email from live_members join people on id = user_id',
  'a default': `select coalesce(external_id, name) from users`,
  'a count': 'select count(*)::int from users',
  'a count in a subquery': 'select (select count(*) from users)',
  'an aggregate of groups': 'select max(name) from users group by is_active',
  'a list of a subquery': 'select array(select external_id from users)',
  'whether there are rows': 'select exists (select from users)',
  'a case': `select case when is_active then 'a' else 'b' end from users`,
  'a recursive query':
    'with recursive q (id) as (select 1 union all select id + 1 from q) select id from q',
  'what is inserted': 'insert into groups (id, name) values ($1, $2) returning name',
}

for (const [expected, statements] of [
  [true, nullable],
  [false, present],
] as const)
  for (const [name, text] of Object.entries(statements))
    test.serial(`${name} ${expected ? 'may be' : 'is never'} null`, async (t) => {
      const columns = await describe(text)
      t.is(columns[0]?.isNullable, expected)
    })
