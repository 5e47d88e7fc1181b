const local = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/
const label = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const mostCharacters = 254

/**
 * The one spelling an e-mail address is stored and compared in: trimmed and lower-cased. Undefined
 * for what is not plain ASCII `local@domain`, so that no two readers disagree about whose it is.
 */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim()
  const [name = '', domain = '', ...more] = email.split('@')
  // Checked before folding: U+212A, the Kelvin sign, folds to an ASCII k.
  if (more.length > 0 || email.length > mostCharacters || !local.test(name)) return undefined
  return domain.split('.').every((part) => label.test(part)) ? email.toLowerCase() : undefined
}
