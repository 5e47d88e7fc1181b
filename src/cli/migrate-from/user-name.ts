import { normalizeEmail } from '../../core/email.ts'
import { isExternalId } from '../../core/external-id.ts'
import type { Mapping } from './mapping.ts'
import { type Outcome, unmapped } from './outcome.ts'
import type { UserName } from './plan.ts'
import type { ObjectName } from './tuple.ts'

/** Returns the name of a user, or why there is none. */
export function nameUser(
  { users, emails }: Pick<Mapping, 'users' | 'emails'>,
  { type, id }: ObjectName,
): { user: UserName } | { outcome: Outcome } {
  const ids = users.get(type)
  if (ids === 'external_id') {
    if (isExternalId(id)) return { user: { external_id: id } }
    return { outcome: unmapped('a UUID or e-mail address cannot be an external ID') }
  }
  const text = ids === 'emails' ? emails.get(id) : id
  if (text === undefined)
    return { outcome: unmapped('the mapping has no e-mail address of the user') }
  const email = normalizeEmail(text)
  if (email === undefined)
    return { outcome: unmapped('the ID of the user is not an e-mail address') }
  return { user: { email } }
}
