import { sha1 } from './sha1.ts'

/** The namespace for UUIDs of resources whose IDs are not UUIDs. It is the same on every server. */
const namespace = [
  0xf8, 0xe1, 0x57, 0x2e, 0x33, 0xcb, 0x43, 0x04, 0xa2, 0xf6, 0x03, 0x2b, 0xcb, 0xfe, 0x90, 0x88,
]

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/**
 * Returns the UUID that identifies a resource in daikon: the resource's ID if it is a UUID,
 * otherwise the version 5 UUID (RFC 9562) of `service/type/id`.
 */
export function resourceId(service: string, type: string, id: string): string {
  if (isUuid(id)) return id.toLowerCase()
  const name = new TextEncoder().encode(`${service}/${type}/${id}`)
  const hash = sha1(new Uint8Array([...namespace, ...name]))
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  const digits = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0'))
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
