import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'

/** The type of the event that tests a webhook. */
export const testType = 'webhook.test'

/**
 * Returns the body of the request for an event: `type`, `timestamp` and `data`, as Standard Webhooks
 * recommends, and the position in the activity log. IP addresses of clients are left out.
 */
export function eventPayload(position: number, entry: ActivityEntry): string {
  const { action, created_at, ip: _ip, ...data } = entry
  return JSON.stringify({ type: action, timestamp: created_at, position, data })
}

/** Returns the body of the request that tests a webhook. It has no position. */
export function testPayload(webhookId: string, now: Date): string {
  const data = { webhook_id: webhookId }
  return JSON.stringify({ type: testType, timestamp: now.toISOString(), position: null, data })
}
