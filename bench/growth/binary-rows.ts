/** Writes rows in the binary format of COPY. */
export type BinaryRows = ReturnType<typeof createBinaryRows>

const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const chunkSize = 1 << 20
/** More than any row has. */
const reserve = 4096
/** 2000-01-01 in milliseconds, from which PostgreSQL counts. */
const epoch = Date.UTC(2000, 0, 1)
/** The time of the first ID in milliseconds. */
const firstTime = Date.UTC(2026, 0, 1)

/** The kinds of objects, which are part of their IDs, and the milliseconds between two of them. */
const ids = {
  user: { code: 1, step: 1 },
  workspace: { code: 2, step: 1 },
  group: { code: 3, step: 1 },
  resource: { code: 4, step: 1 },
  /** The ID that the service gave to the resource. */
  external: { code: 5, step: 1 },
  share: { code: 6, step: 0.1 },
  entry: { code: 7, step: 1000 },
}
export type IdKind = keyof typeof ids

export const timeOf = (kind: IdKind, n: number) => firstTime + Math.floor(n * ids[kind].step)

/** Returns the ID of the nth object of a kind, a UUID of version 7. */
export function idOf(kind: IdKind, n: number): string {
  const bytes = Buffer.alloc(16)
  writeId(bytes, 0, kind, n)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function writeId(buffer: Buffer, at: number, kind: IdKind, n: number): void {
  const { code } = ids[kind]
  const time = timeOf(kind, n)
  buffer.writeUInt32BE(Math.floor(time / 0x10000), at)
  buffer.writeUInt16BE(time % 0x10000, at + 4)
  buffer.writeUInt16BE(0x7000, at + 6)
  buffer.writeUInt16BE(0x8000, at + 8)
  buffer.writeUInt32BE(n, at + 10)
  buffer.writeUInt16BE(code, at + 14)
}

/** Creates a writer that passes full chunks to `send`. */
export function createBinaryRows(send: (chunk: Buffer) => void) {
  let buffer = Buffer.allocUnsafe(chunkSize)
  let at = header.copy(buffer)

  function flush(): void {
    send(buffer.subarray(0, at))
    buffer = Buffer.allocUnsafe(chunkSize)
    at = 0
  }

  const rows = {
    begin(fields: number) {
      if (at > chunkSize - reserve) flush()
      at = buffer.writeInt16BE(fields, at)
      return rows
    },
    nothing() {
      at = buffer.writeInt32BE(-1, at)
      return rows
    },
    id(kind: IdKind, n: number) {
      at = buffer.writeInt32BE(16, at)
      writeId(buffer, at, kind, n)
      at += 16
      return rows
    },
    int(value: number) {
      at = buffer.writeInt32BE(4, at)
      at = buffer.writeInt32BE(value, at)
      return rows
    },
    bigint(value: number) {
      at = buffer.writeInt32BE(8, at)
      at = buffer.writeBigInt64BE(BigInt(value), at)
      return rows
    },
    bool(value: boolean) {
      at = buffer.writeInt32BE(1, at)
      at = buffer.writeInt8(value ? 1 : 0, at)
      return rows
    },
    text(value: string) {
      at = buffer.writeInt32BE(value.length, at)
      at += buffer.write(value, at, 'latin1')
      return rows
    },
    json(value: string) {
      at = buffer.writeInt32BE(value.length + 1, at)
      at = buffer.writeInt8(1, at)
      at += buffer.write(value, at, 'latin1')
      return rows
    },
    time(milliseconds: number) {
      at = buffer.writeInt32BE(8, at)
      at = buffer.writeBigInt64BE(BigInt(milliseconds - epoch) * 1000n, at)
      return rows
    },
    end() {
      at = buffer.writeInt16BE(-1, at)
      flush()
    },
  }
  return rows
}
