import type { Client, Connection, FieldDef, Submittable } from 'pg'

/** A column that PostgreSQL returns. */
export type ActualColumn = { name: string; type: string }

/** Prepares a statement without running it, and returns its columns. */
export async function describeStatement(client: Client, text: string): Promise<ActualColumn[]> {
  const fields = await new Promise<FieldDef[]>((resolve, reject) => {
    client.query(createDescription(text, resolve, reject))
  })
  return fields.map(({ name, dataTypeID }) => ({
    name,
    type: typeNames[dataTypeID] ?? String(dataTypeID),
  }))
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

const typeNames: Record<number, string> = {
  16: 'bool',
  17: 'bytea',
  20: 'int8',
  21: 'int2',
  23: 'int4',
  25: 'text',
  26: 'oid',
  114: 'json',
  700: 'float4',
  701: 'float8',
  1009: 'text[]',
  1043: 'varchar',
  1082: 'date',
  1114: 'timestamp',
  1184: 'timestamptz',
  1186: 'interval',
  1700: 'numeric',
  2950: 'uuid',
  2951: 'uuid[]',
  3802: 'jsonb',
  2278: 'void',
  5069: 'xid8',
  3220: 'pg_lsn',
  19: 'name',
  1000: 'bool[]',
  1005: 'int2[]',
  1007: 'int4[]',
  1016: 'int8[]',
  2249: 'record',
  18: 'char',
  705: 'unknown',
}
