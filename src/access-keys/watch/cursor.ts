import { createHmac, randomBytes } from 'node:crypto'

/** How far the first copy has been sent: up to a resource, in the order of kinds and IDs. */
export type FillPlace = { kindId: number; resourceId: string }

/** Where a stream continues. */
export type AccessCursor = {
  /** The history of the database, in which transactions can be compared. */
  history: string
  /** Records of transactions from this one on have not been sent. */
  since: string
  /** Names the beginning of the stream. */
  generation: string
  /** Undefined once all resources have been sent. */
  fill: FillPlace | undefined
}

const separator = '.'
const pattern =
  /^([0-9a-f]{12})\.([1-9]\d{0,18})\.([\w-]{12})\.([\w-]{12})(?:\.(\d{1,10})\.([0-9a-f-]{36}))?$/
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns what a cursor must have been made for: a service, with its secret, and types. */
export function digestOf(secret: Buffer, serviceName: string, resourceTypes: string[]): string {
  const types = [...new Set(resourceTypes)].sort()
  const text = JSON.stringify([serviceName, types])
  return createHmac('sha256', secret).update(`cursor ${text}`).digest('base64url').slice(0, 12)
}

export function createGeneration(): string {
  return randomBytes(9).toString('base64url')
}

export function formatAccessCursor(
  { history, since, generation, fill }: AccessCursor,
  digest: string,
): string {
  const place = fill ? [fill.kindId, fill.resourceId] : []
  const text = [history, since, digest, generation, ...place].join(separator)
  return Buffer.from(text).toString('base64url')
}

/** Returns undefined for a cursor that can't be read, or that was made for something else. */
export function parseAccessCursor(text: string, digest: string): AccessCursor | undefined {
  const match = pattern.exec(Buffer.from(text, 'base64url').toString('latin1'))
  if (!match) return undefined
  const [, history = '', since = '', madeFor, generation = '', kindId, resourceId = ''] = match
  if (madeFor !== digest) return undefined
  if (kindId === undefined) return { history, since, generation, fill: undefined }
  if (!uuidPattern.test(resourceId) || Number(kindId) > 2 ** 31 - 1) return undefined
  return { history, since, generation, fill: { kindId: Number(kindId), resourceId } }
}
