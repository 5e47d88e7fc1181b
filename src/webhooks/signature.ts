import { createHmac, createSecretKey, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** Creates a secret as Standard Webhooks defines it: 32 random bytes in base64. */
export function createWebhookSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

/**
 * Returns the headers that sign a request, with one signature for each secret (Standard Webhooks,
 * symmetric signatures).
 */
export function signatureHeaders(
  { id, body, at }: { id: string; body: string; at: Date },
  secrets: string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = createSecretKey(secret.slice(prefix.length), 'base64')
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    return `v1,${digest}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
