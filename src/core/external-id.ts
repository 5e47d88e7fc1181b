import { normalizeEmail } from './email.ts'
import { isUuid } from './uuid.ts'

/**
 * Whether a text can identify a user as `external_id`. A text in the format of a UUID or an e-mail
 * address cannot, because it always identifies the user with that ID or address.
 */
export function isExternalId(text: string): boolean {
  return !isUuid(text) && normalizeEmail(text) === undefined
}
