import { createHmac, timingSafeEqual } from 'node:crypto'
import { UnauthenticatedError } from './errors.ts'

/** An event that daikon has sent to a webhook. */
export type WebhookEvent = {
  /** The action of the event, such as `permission.shared`, or `webhook.test`. */
  type: string
  /** When the event occurred (ISO 8601). */
  timestamp: string
  /** The position of the event in the activity log; null for `webhook.test`. */
  position: number | null
  /** The entry of the activity log. */
  data: Record<string, unknown>
  /** The same for every attempt to deliver the event. */
  id: string
}

/** A request to a webhook: its headers, by names in lower case, and its body as received. */
export type WebhookRequest = {
  headers: Headers | Record<string, string | string[] | undefined>
  body: string | Uint8Array
}

/** The request was not sent by daikon, or too long ago. */
export class InvalidWebhookError extends UnauthenticatedError {}

/** Seconds by which the clocks of daikon and this machine may differ. */
const defaultTolerance = 300

/**
 * Verifies a request to a webhook (Standard Webhooks) and returns its event. Pass the body as it was
 * received, because parsing and formatting JSON changes it.
 *
 * @param secret the secret of the webhook (`whsec_…`), or several
 * @throws InvalidWebhookError
 *
 * @example
 * app.post('/hooks/daikon', express.raw({ type: 'application/json' }), (request, response) => {
 *   const event = verifyWebhook(process.env.WEBHOOK_SECRET, request)
 *   response.sendStatus(204)
 * })
 */
export function verifyWebhook(
  secret: string | string[],
  { headers, body }: WebhookRequest,
  { toleranceSeconds = defaultTolerance }: { toleranceSeconds?: number | undefined } = {},
): WebhookEvent {
  const read = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value === 'string' && value !== '') return value
    throw invalid(`The request has no header ${name}`)
  }
  const id = read('webhook-id')
  const timestamp = read('webhook-timestamp')
  const signatures = read('webhook-signature').split(' ')
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!/^\d{1,12}$/.test(timestamp) || age > toleranceSeconds)
    throw invalid('The request is too old, or the clock of this machine is wrong')
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  const signed = `${id}.${timestamp}.${text}`
  const expected = [secret].flat().map((one) => sign(one, signed))
  const isSigned = signatures.some((signature) => expected.some((one) => isSame(signature, one)))
  if (!isSigned) throw invalid('The signature of the request is not valid')
  return { ...JSON.parse(text), id }
}

function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (key.length === 0) throw new TypeError('The secret of the webhook is empty')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function invalid(message: string): InvalidWebhookError {
  return new InvalidWebhookError('WEBHOOK_INVALID', message)
}
