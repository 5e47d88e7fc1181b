import { createHash } from 'node:crypto'

/**
 * Returns the ID that a client has in tables which nobody registered. It follows from the URL, so that it is
 * known before there is a row (RFC 9562, UUID version 8).
 */
export function externalClientId(url: string): string {
  const bytes = createHash('sha256').update(`client metadata ${url}`).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
