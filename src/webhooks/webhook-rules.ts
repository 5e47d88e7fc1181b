import { type FieldViolation, ServiceError } from '../core/errors.ts'
import type { OutboundHosts } from '../outbound/outbound-hosts.ts'
import { reasons } from './reasons.ts'

/** The maximum number of webhooks. */
export const maxWebhooks = 1000

/** Names the place of a webhook's secret (core/secret-box.ts). */
export function secretContext(id: string): string {
  return `webhooks/${id}`
}

/** Returns the host of a URL, which entries of the activity log contain, because paths may be secret. */
export function hostOfUrl(url: string): string {
  return new URL(url).host
}

/** Returns why a URL cannot receive events. The addresses of names are judged at each request. */
export function findUrlViolations(url: string, hosts: OutboundHosts): FieldViolation[] {
  const violation = (message: string) => [{ field: 'url', message }]
  if (!URL.canParse(url) || !/^https?:\/\//i.test(url)) return violation('must be an https URL')
  const parsed = new URL(url)
  if (parsed.username || parsed.password) return violation('must not contain a user or password')
  const problem = hosts.findProblem(parsed)
  return problem ? violation(problem) : []
}

export function webhookNotFound(): ServiceError {
  return new ServiceError(reasons.WEBHOOK_NOT_FOUND)
}

export function deliveryNotFound(): ServiceError {
  return new ServiceError(reasons.DELIVERY_NOT_FOUND)
}

export function webhookInactive(): ServiceError {
  return new ServiceError(reasons.WEBHOOK_INACTIVE)
}

export function tooManyWebhooks(): ServiceError {
  const detail = `At most ${maxWebhooks} webhooks can exist`
  return new ServiceError(reasons.TOO_MANY_WEBHOOKS, detail)
}
