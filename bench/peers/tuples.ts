import pg from 'pg'

/** A relationship. The third part of the subject is its relation, or '' for a user. */
export type Tuple = {
  object: [type: string, id: string]
  relation: string
  subject: [type: string, id: string, relation: string]
}

/** Converts the tables of daikon to relationships. */
const tuplesSql = `
  with kind as (select id from resource_kinds where resource_type = 'document'),
    documents as (select * from resources where kind_id = (select id from kind))
  select 'document', resource_id::text, 'workspace', 'workspace', workspace_id::text, ''
    from documents
  union all
  select 'document', resource_id::text, 'owner', 'user', owner_id::text, '' from documents
  union all
  select 'document', resource_id::text, 'visible', 'workspace', workspace_id::text, ''
    from documents where visibility = 'workspace'
  union all
  select 'document', resource_id::text, case permission when 'edit' then 'editor' else 'viewer' end,
    case when user_id is null then 'group' else 'user' end, coalesce(user_id, group_id)::text,
    case when user_id is null then 'member' else '' end
    from shares where kind_id = (select id from kind)
  union all
  select 'workspace', workspace_id::text, case role when 'owner' then 'admin' else role end, 'user',
    user_id::text, ''
    from members
  union all
  select 'group', group_id::text, 'member', 'user', user_id::text, '' from group_members`

/** Reads the relationships from a database with the data set. */
export async function readTuples(url: string): Promise<Tuple[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<string[]>({ text: tuplesSql, rowMode: 'array' })
    return rows.map(([type = '', id = '', relation = '', subject = '', of = '', via = '']) => ({
      object: [type, id],
      relation,
      subject: [subject, of, via],
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
