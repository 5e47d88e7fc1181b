import pg from 'pg'
import { kind } from '../bench/data-set.ts'
import { limitedType } from './daikon.ts'

/** A relationship. The third part of the subject is its relation, or '' for a user. */
export type Tuple = {
  object: [type: string, id: string]
  relation: string
  subject: [type: string, id: string, relation: string]
  /** The limit of the amount, if the relationship has a condition. */
  limit?: number
}

/** Converts the documents of a type, with their shares, to relationships. */
const documentsSql = (type: string) => {
  const kind = `(select id from resource_kinds where resource_type = '${type}')`
  const documents = `resources where kind_id = ${kind}`
  return `
  select '${type}', resource_id::text, 'workspace', 'workspace', workspace_id::text, '', null::float8
    from ${documents}
  union all
  select '${type}', resource_id::text, 'owner', 'user', owner_id::text, '', null from ${documents}
  union all
  select '${type}', resource_id::text, 'visible', 'workspace', workspace_id::text, '', null
    from ${documents} and visibility = 'workspace'
  union all
  select '${type}', resource_id::text,
    case ltrim(permission, '?') when 'edit' then 'editor' else 'viewer' end,
    case when user_id is null then 'group' else 'user' end, coalesce(user_id, group_id)::text,
    case when user_id is null then 'member' else '' end, (params->>'limit')::float8
    from shares where kind_id = ${kind}`
}

/** Converts the tables of daikon to relationships. */
const tuplesSql = `
  ${documentsSql(kind.resource_type)}
  union all
  ${documentsSql(limitedType)}
  union all
  select 'workspace', workspace_id::text, case role when 'owner' then 'admin' else role end, 'user',
    user_id::text, '', null
    from members
  union all
  select 'group', group_id::text, 'member', 'user', user_id::text, '', null from group_members`

/** Reads the relationships from a database with the data set. */
export async function readTuples(url: string): Promise<Tuple[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    type Values = [string, string, string, string, string, string, number | null]
    const { rows } = await client.query<Values>({ text: tuplesSql, rowMode: 'array' })
    return rows.map(([type, id, relation, subject, of, via, limit]) => ({
      ...{ object: [type, id], relation, subject: [subject, of, via] },
      ...(limit !== null && { limit }),
    }))
  } finally {
    await client.end()
  }
}

/** Writes batches of relationships, several concurrently. */
export async function writeInBatches(
  tuples: Tuple[],
  { size, concurrency }: { size: number; concurrency: number },
  write: (batch: Tuple[]) => Promise<void>,
): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < tuples.length) {
      const start = next
      next += size
      await write(tuples.slice(start, start + size))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}
