import type { Transactional } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import { secretContext } from './connection-rules.ts'
import type { ConnectionStore } from './store/connection-store.ts'

/** Encrypts the secrets of connections with the first key. Returns the number of changed ones. */
export async function reencryptConnections(
  stores: Transactional<{ connections: ConnectionStore }>,
  box: SecretBox,
): Promise<number> {
  return stores.transaction(async (tx) => {
    const secrets = await tx.connections.lockAllSecrets()
    const outdated = secrets.filter(({ secret }) => !box.isCurrent(secret))
    for (const { id, secret } of outdated)
      await tx.connections.setSecret(id, box.reencrypt(secret, secretContext(id)))
    return outdated.length
  })
}
