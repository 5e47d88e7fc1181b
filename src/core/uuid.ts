const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const uuidInAnyCase = new RegExp(uuid, 'i')

/** Whether a text has the format of a UUID with hyphens, of any version. */
export function isUuid(text: string): boolean {
  return uuidInAnyCase.test(text)
}

/** Whether a text is a UUID as PostgreSQL returns it: in lower case. */
export function isCanonicalUuid(text: string): boolean {
  return uuid.test(text)
}

/** Returns a UUID in lower case, and any other text unchanged. */
export function toCanonicalId(text: string): string {
  return isUuid(text) ? text.toLowerCase() : text
}
