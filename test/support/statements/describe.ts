import type { Client, Connection, FieldDef, Submittable } from 'pg'
import { type Node, parseTree } from './node-tree.ts'
import { type Catalog, createNullability } from './nullability.ts'

/** A column that PostgreSQL returns. */
export type ActualColumn = { name: string; type: string; isNullable: boolean }

type Description = { fields: FieldDef[]; parameters: number[] }

/**
 * Returns a function that prepares a statement without running it, and returns its columns. The names
 * of types are those of `pg_type`: `_text` is a list of `text`.
 */
export async function createDescribe(client: Client) {
  const { rows } = await client.query<{ oid: number; name: string }>(
    'select oid::int, typname as name from pg_type',
  )
  const typeNames = new Map(rows.map(({ oid, name }) => [oid, name]))
  const findNullable = createNullability(await readCatalog(client))
  return async (text: string): Promise<ActualColumn[]> => {
    const { fields, parameters } = await new Promise<Description>((resolve, reject) => {
      client.query(createDescription(text, resolve, reject))
    })
    if (fields.length === 0) return []
    const types = parameters.map((oid) => typeNames.get(oid) ?? '')
    const nullable = findNullable(await analyse(client, text, types))
    return fields.map(({ name, dataTypeID }, index) => ({
      name,
      type: typeNames.get(dataTypeID) ?? '',
      isNullable: nullable[index] ?? true,
    }))
  }
}

async function readCatalog(client: Client): Promise<Catalog> {
  const { rows: columns } = await client.query<{ id: string }>(
    `select attrelid || '.' || attnum as id from pg_attribute where attnotnull`,
  )
  const { rows: functions } = await client.query<{ oid: string; name: string; isStrict: boolean }>(
    'select oid::text, proname as name, proisstrict as "isStrict" from pg_proc',
  )
  const { rows: views } = await client.query<{ id: string; tree: string }>(
    `select c.oid::text as id, r.ev_action::text as tree from pg_class c
     join pg_rewrite r on r.ev_class = c.oid
     where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace`,
  )
  const { rows: implied } = await client.query<{ column: string; without: string }>(`
    select c.conrelid || '.' || p.attnum as column, c.conrelid || '.' || n.attnum as without
    from pg_constraint c cross join regexp_match(
      pg_get_constraintdef(c.oid), '\\((\\w+) IS NULL\\) = \\((\\w+) IS NOT NULL\\)') as name
    join pg_attribute n on n.attrelid = c.conrelid and n.attname = name[1]
    join pg_attribute p on p.attrelid = c.conrelid and p.attname = name[2]
    where c.contype = 'c'`)
  return {
    presentWithout: new Map(implied.map(({ column, without }) => [column, without])),
    views: new Map(views.map(({ id, tree }) => [id, (parseTree(tree) as [Node])[0]])),
    required: new Set(columns.map(({ id }) => id)),
    functions: new Map(functions.map(({ oid, ...called }) => [oid, called])),
  }
}

/** Returns what PostgreSQL makes of a statement: it keeps that of a function's body as a tree. */
async function analyse(client: Client, text: string, types: string[]): Promise<Node> {
  const parameters = types.map((type) => `"${type}"`).join(', ')
  await client.query(`
    create or replace function pg_temp.analysed(${parameters}) returns setof record
    language sql begin atomic ${text}; end`)
  const { rows } = await client.query<{ oid: string; body: string }>(
    `select oid::regprocedure as oid, prosqlbody::text as body from pg_proc where proname = 'analysed'`,
  )
  const [{ oid, body }] = rows as [{ oid: string; body: string }]
  await client.query(`drop function ${oid}`)
  const [[query]] = parseTree(body) as [[Node]]
  return query
}

function createDescription(
  text: string,
  resolve: (description: Description) => void,
  reject: (error: Error) => void,
): Submittable {
  const description: Description = { fields: [], parameters: [] }
  return {
    submit(connection: Connection) {
      connection.once('parameterDescription', ({ dataTypeIDs }) => {
        description.parameters = dataTypeIDs
      })
      connection.parse({ text, name: '', types: [] } as never, false as never)
      connection.describe({ type: 'S', name: '' } as never, false as never)
      connection.sync()
    },
    handleRowDescription(message: { fields: FieldDef[] }) {
      description.fields = message.fields
    },
    handleError: reject,
    handleReadyForQuery: () => resolve(description),
  } as unknown as Submittable
}
