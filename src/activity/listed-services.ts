/**
 * Describes the services that had resources in what was deleted, for an event: afterwards, nobody
 * could find out whom the event concerns. Names contain no line breaks.
 */
export function listServices(names: string[]): string {
  return names.length === 0 ? 'none' : names.join('\n')
}

/** Reads a list of `listServices`; an entry of an earlier version has none. */
export function listedServices(text: unknown): string[] {
  return typeof text === 'string' && text !== 'none' ? text.split('\n') : []
}
