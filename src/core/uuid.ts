const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text has the format of a UUID with hyphens, of any version. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}
