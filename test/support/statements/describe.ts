import type { Client, Connection, FieldDef, Submittable } from 'pg'

/** A column that PostgreSQL returns. */
export type ActualColumn = { name: string; type: string }

/**
 * Returns a function that prepares a statement without running it, and returns its columns. The names
 * of types are those of `pg_type`: `_text` is a list of `text`.
 */
export async function createDescribe(client: Client) {
  const { rows } = await client.query<{ oid: number; name: string }>(
    'select oid::int, typname as name from pg_type',
  )
  const typeNames = new Map(rows.map(({ oid, name }) => [oid, name]))
  return async (text: string): Promise<ActualColumn[]> => {
    const fields = await new Promise<FieldDef[]>((resolve, reject) => {
      client.query(createDescription(text, resolve, reject))
    })
    return fields.map(({ name, dataTypeID }) => ({ name, type: typeNames.get(dataTypeID) ?? '' }))
  }
}

function createDescription(
  text: string,
  resolve: (fields: FieldDef[]) => void,
  reject: (error: Error) => void,
): Submittable {
  let fields: FieldDef[] = []
  return {
    submit(connection: Connection) {
      connection.parse({ text, name: '', types: [] } as never, false as never)
      connection.describe({ type: 'S', name: '' } as never, false as never)
      connection.sync()
    },
    handleRowDescription(message: { fields: FieldDef[] }) {
      fields = message.fields
    },
    handleError: reject,
    handleReadyForQuery: () => resolve(fields),
  } as unknown as Submittable
}
