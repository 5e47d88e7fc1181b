import { matchesText } from '../core/text-pattern.ts'

/** Removes the fields of an event's detail that match a pattern from the body of a delivery. */
export function redactPayload(body: string, pattern: string): string {
  const { data, ...payload } = JSON.parse(body) as { data?: { detail?: Record<string, unknown> } }
  const detail = Object.entries(data?.detail ?? {}).filter(
    ([, value]) => !matchesText(pattern, String(value)),
  )
  return JSON.stringify({ ...payload, data: { ...data, detail: Object.fromEntries(detail) } })
}
