// Copied from clients/typescript/src/access/copy/database.ts. DO NOT EDIT.

/** What this folder needs of a client of `pg`. */
export type DatabaseClient = {
  // biome-ignore lint/suspicious/noExplicitAny: as pg declares rows
  query(text: string, values?: unknown[]): Promise<{ rows: any[]; rowCount: number | null }>
  on(event: 'error', listener: (error: Error) => void): unknown
  /** With `true`, the connection is closed. */
  release(destroy?: boolean): void
}

/** What this folder needs of a pool of `pg`. */
export type DatabasePool = {
  // biome-ignore lint/suspicious/noExplicitAny: as pg declares rows
  query(text: string, values?: unknown[]): Promise<{ rows: any[]; rowCount: number | null }>
  query(
    statement: { name: string; text: string },
    values: unknown[],
  ): ReturnType<DatabaseClient['query']>
  connect(): Promise<DatabaseClient>
}

/** Runs `use` in a transaction, which `begin` begins and which is rolled back if it fails. */
export async function inTransaction<T>(
  client: DatabaseClient,
  use: () => Promise<T>,
  begin = 'begin',
): Promise<T> {
  await client.query(begin)
  try {
    const result = await use()
    await client.query('commit')
    return result
  } catch (error) {
    // Fails if the connection is lost, which ends the transaction, too.
    await client.query('rollback').catch(() => {})
    throw error
  }
}
