/** Returns the name of an action as it is shown to people. */
export function describeAction(action: string): string {
  const [target = '', verb = ''] = action.split('.')
  const words = `${nouns[target] ?? target.replaceAll('_', ' ')} ${verb.replaceAll('_', ' ')}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const nouns: Record<string, string> = {
  admin: 'administrator',
  permission: 'resource',
  user: 'person',
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

type Entry = { target_id: string | null; detail: Record<string, unknown> | null }

/**
 * Formats the detail of an entry as one line. Omits IDs, which only the export contains, and fields
 * that the target already shows.
 */
export function describeDetail({ target_id, detail }: Entry): string {
  const hidden = target_id ? /^(name|email)$|_ids?$/ : /_ids?$/
  const text = Object.entries(detail ?? {})
    .filter(([name, value]) => value !== null && value !== '' && !hidden.test(name))
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${formatValue(value)}`)
    .join(' · ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^\d{4}-\d\d-\d\dT/.test(value) ? dateTime.format(new Date(value)) : value
}
