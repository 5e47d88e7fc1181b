import { once } from 'node:events'
import type { Socket } from 'node:net'
import type pg from 'pg'
import { type BinaryRows, createBinaryRows } from './binary-rows.ts'

type Connection = {
  query(sql: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  stream: Socket
}

/** The rows of a table. Yields between rows, so that the socket can be drained. */
export type WriteRows = (rows: BinaryRows) => Generator<void>

/** Rows between two looks at the socket. */
const rowsAtOnce = 5000

/**
 * Copies rows into an empty table. Truncating it in the same transaction lets PostgreSQL freeze the
 * rows, and write no log if `wal_level` is minimal.
 */
export async function copyRows(
  client: pg.Client,
  table: string,
  columns: string[],
  write: WriteRows,
): Promise<void> {
  await client.query('begin')
  await client.query(`truncate ${table}`)
  const sql = `copy ${table} (${columns.join(', ')}) from stdin with (format binary, freeze)`
  await new Promise<void>((resolve, reject) => {
    const copy = {
      submit: (connection: Connection) => connection.query(sql),
      handleCopyInResponse(connection: Connection) {
        sendRows(connection, write).catch(reject)
      },
      handleError: reject,
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
      callback() {},
    }
    client.query(copy as never)
  })
  await client.query('commit')
}

async function sendRows(connection: Connection, write: WriteRows): Promise<void> {
  const { stream } = connection
  const rows = createBinaryRows((chunk) => connection.sendCopyFromChunk(chunk))
  let written = 0
  for (const _ of write(rows)) {
    written += 1
    if (written % rowsAtOnce === 0 && stream.writableNeedDrain) await once(stream, 'drain')
  }
  rows.end()
  connection.endCopyFrom()
}
