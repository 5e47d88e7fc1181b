import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server on loopback that answers questions for TXT records. */
export type DnsServer = {
  /** The address with the port. */
  address: string
  /** The TXT records by name. Other names do not exist. */
  records: Map<string, string[]>
  /** Whether the server fails. */
  isBroken: boolean
  stop(): void
}

const codes = { ok: 0, serverFailure: 2, noSuchName: 3 }

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5
    const values = server.records.get(readName(query)) ?? []
    const isTxt = query.readUInt16BE(end - 4) === 16
    const answers = isTxt ? values.map(encodeTxt) : []
    const known = values.length > 0 ? codes.ok : codes.noSuchName
    const code = server.isBroken ? codes.serverFailure : known
    const header = [0x81, 0x80 + code, 0, 1, 0, code === 0 ? answers.length : 0, 0, 0, 0, 0]
    const parts = [query.subarray(0, 2), Buffer.from(header), query.subarray(12, end)]
    socket.send(Buffer.concat([...parts, ...(code === 0 ? answers : [])]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.unref()
  const server: DnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    isBroken: false,
    stop: () => socket.close(),
  }
  return server
}

function readName(query: Buffer): string {
  const labels: string[] = []
  for (let at = 12; query[at]; at += (query[at] ?? 0) + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
  return labels.join('.').toLowerCase()
}

/** Encodes a TXT record in two parts, as long values are. */
function encodeTxt(value: string): Buffer {
  const middle = Math.floor(value.length / 2)
  const data = [value.slice(0, middle), value.slice(middle)].flatMap((part) => [
    part.length,
    ...Buffer.from(part),
  ])
  return Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, data.length, ...data])
}
