import type { AccessibleResourcesResponse } from '../../gen/daikon/v1/permissions.ts'
import { type EncodableMessage, encodeMessage } from '../core/encoded-message.ts'
import { writePageToken } from './page-token.ts'

/**
 * Separates the IDs in the result of a query. In an encoded response, the same two bytes precede
 * each ID: the tag of `resource_ids` (field 1, length-delimited) and the length of an ID, 36. The
 * response can therefore be encoded without splitting the result, which takes a tenth of the time
 * for 5,000 IDs.
 */
export const idSeparator = '\n$'

const idLength = 36
const stride = idSeparator.length + idLength

/** Returns the IDs in the result of a query. */
export function splitIds(joinedIds: string): string[] {
  return joinedIds === '' ? [] : joinedIds.split(idSeparator)
}

export function countIds(joinedIds: string): number {
  return Math.ceil(joinedIds.length / stride)
}

/** A response with the first `limit` IDs. If there is another one, it becomes the page token. */
export class AccessiblePage implements AccessibleResourcesResponse, EncodableMessage {
  readonly has_full_access: boolean
  readonly next_page_token: string | undefined
  readonly #joinedIds: string

  constructor(joinedIds: string, limit: number, hasFullAccess: boolean) {
    const end = limit * stride
    const next = joinedIds.slice(end, end + idLength)
    this.#joinedIds = next ? joinedIds.slice(0, end - idSeparator.length) : joinedIds
    this.has_full_access = hasFullAccess
    this.next_page_token = next ? writePageToken(next) : undefined
  }

  get resource_ids(): string[] {
    return splitIds(this.#joinedIds)
  }

  [encodeMessage](encode: (fields: AccessibleResourcesResponse) => Uint8Array): Buffer {
    const { has_full_access, next_page_token } = this
    const otherBytes = encode({ resource_ids: [], has_full_access, next_page_token })
    if (this.#joinedIds === '') return Buffer.from(otherBytes)
    // Allocate only once: a page of 5,000 IDs is 190 kB, and each copy would become garbage.
    const end = idSeparator.length + this.#joinedIds.length
    const bytes = Buffer.allocUnsafe(end + otherBytes.length)
    bytes.write(idSeparator, 'latin1')
    bytes.write(this.#joinedIds, idSeparator.length, 'latin1')
    bytes.set(otherBytes, end)
    return bytes
  }
}
