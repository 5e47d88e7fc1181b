import type { Transactional } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import type { WebhookStore } from './store/webhook-store.ts'
import { secretContext } from './webhook-rules.ts'

/** Encrypts every secret of webhooks with the first key. Returns the number of changed webhooks. */
export async function reencryptWebhooks(
  stores: Transactional<{ webhooks: WebhookStore }>,
  box: SecretBox,
): Promise<number> {
  return stores.transaction(async (tx) => {
    let changed = 0
    for (const { id, secret, previousSecret } of await tx.webhooks.lockAllSecrets()) {
      const isCurrent = (text: string | null) => text === null || box.isCurrent(text)
      if (isCurrent(secret) && isCurrent(previousSecret)) continue
      const renew = (text: string) => box.reencrypt(text, secretContext(id))
      await tx.webhooks.setSecrets(id, {
        secret: renew(secret),
        previousSecret: previousSecret && renew(previousSecret),
      })
      changed += 1
    }
    return changed
  })
}
