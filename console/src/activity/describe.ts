/** What an action is called where the log is shown to people. */
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

/** The detail of an entry as one line, without IDs, which the export contains. */
export function describeDetail(detail: Record<string, unknown> | null): string {
  return Object.entries(detail ?? {})
    .filter(([name, value]) => value !== null && value !== '' && !/_ids?$/.test(name))
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${formatValue(value)}`)
    .join(' · ')
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
