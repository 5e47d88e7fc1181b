import { createHash } from 'node:crypto'

/** The namespace for UUIDs of resources whose IDs are not UUIDs. It is the same on every server. */
const namespace = Buffer.from('f8e1572e33cb4304a2f6032bcbfe9088', 'hex')

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
  const hash = createHash('sha1').update(namespace).update(`${service}/${type}/${id}`).digest()
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  const digits = hash.toString('hex', 0, 16)
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
