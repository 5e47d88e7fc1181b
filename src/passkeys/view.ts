import type { PasskeyResponse } from '../../gen/daikon/v1/users.ts'
import { isoTime } from '../database/sql-values.ts'
import type { Passkey } from './store/passkey-store.ts'

export function viewPasskey(passkey: Passkey): PasskeyResponse {
  const { id, name, createdAt, lastUsedAt, isBackedUp, transports } = passkey
  return {
    id,
    name,
    created_at: isoTime(createdAt),
    ...(lastUsedAt && { last_used_at: isoTime(lastUsedAt) }),
    backed_up: isBackedUp,
    transports,
  }
}
