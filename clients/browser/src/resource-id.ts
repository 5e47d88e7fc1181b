import { DaikonError } from './errors.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The namespace for UUIDs of resources whose IDs are not UUIDs. It is the same on every server. */
const namespace = 'f8e1572e33cb4304a2f6032bcbfe9088'

/**
 * Returns the UUID that identifies a resource in daikon: the resource's ID if it is a UUID,
 * otherwise the version 5 UUID (RFC 9562) of `service/type/id`.
 */
export async function resourceId(service: string, type: string, id: string): Promise<string> {
  if (uuid.test(id)) return id.toLowerCase()
  if (!globalThis.crypto?.subtle) {
    const message = 'IDs that are not UUIDs need a secure context: serve the page over https'
    throw new DaikonError('failed_precondition', 'INSECURE_CONTEXT', message)
  }
  const prefix = namespace.match(/../g)?.map((digits) => Number.parseInt(digits, 16)) ?? []
  const name = new TextEncoder().encode(`${service}/${type}/${id}`)
  const bytes = new Uint8Array([...prefix, ...name])
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-1', bytes))
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  const digits = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0'))
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
