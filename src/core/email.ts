const local = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/
const label = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const maxLength = 254

/**
 * Normalizes an e-mail address to the form in which addresses are stored and compared: trimmed and
 * lower-cased. Returns undefined for anything but plain ASCII `local@domain`, so that no other
 * parser can read a different address from the same text.
 */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim()
  if (email.length > maxLength) return undefined
  const [name = '', domain = '', ...more] = email.split('@')
  // Checked before lower-casing, because U+212A (the Kelvin sign) becomes an ASCII k.
  if (more.length > 0 || !local.test(name)) return undefined
  return domain.split('.').every((part) => label.test(part)) ? email.toLowerCase() : undefined
}

/** Returns the domain of a normalized e-mail address. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}
