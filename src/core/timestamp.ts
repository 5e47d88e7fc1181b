/** The form of RFC 3339, with a year that protobuf and an offset that PostgreSQL can represent. */
const form = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/

/** Whether a text is a time as in RFC 3339, section 5.6, such as `2026-01-31T12:00:00Z`. */
export function isTimestamp(text: string): boolean {
  return form.test(text) && !Number.isNaN(Date.parse(text)) && hasValidDate(text)
}

/**
 * Whether the day and the hour of a text in the form of RFC 3339 exist. JavaScript takes February 30
 * for March 2, and 24:00 for the next day.
 */
export function hasValidDate(text: string): boolean {
  const [year = 0, month = 0, day, hour = 24] = text.slice(0, 13).split(/[-T]/).map(Number)
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && hour < 24
}
