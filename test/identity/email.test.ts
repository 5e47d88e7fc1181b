import test from 'ava'
import fc from 'fast-check'
import { normalizeEmail } from '../../src/core/email.ts'

test('an address is trimmed and lower-cased', (t) => {
  t.is(normalizeEmail(' Ann.Example+x@Example.COM\n'), 'ann.example+x@example.com')
  t.is(normalizeEmail("o'brien@example.co.uk"), "o'brien@example.co.uk")
  t.is(normalizeEmail('root@localhost'), 'root@localhost')
})

const invalid: Record<string, string> = {
  'no characters': '',
  'no @': 'ann.example.com',
  'two @': 'ann@evil.example@example.com',
  'a quoted @': '"ann@evil.example"@example.com',
  'an empty local part': '@example.com',
  'an empty domain': 'ann@',
  'a full-width @': 'ann\uff20example.com',
  'a full-width @ beside an ASCII one': 'ann\uff20evil.example@example.com',
  'a trailing dot': 'ann@example.com.',
  'an empty label': 'ann@example..com',
  'a NUL': 'ann\0@example.com',
  'a NUL at the end': 'ann@example.com\0',
  'a line break inside': 'ann@example.com\nbcc:bob@example.com',
  'a space inside': 'ann @example.com',
  'double quotes': '"ann"@example.com',
  'a display name': 'Ann <ann@example.com>',
  'two addresses': 'ann@example.com,bob@example.com',
  'a letter beyond ASCII': 'änn@example.com',
  'a Kelvin sign, which folds to k': 'an\u212a@example.com',
  'a dotless i in the domain': 'ann@examp\u0131e.com',
  'a soft hyphen': 'an\u00adn@example.com',
  'an address literal': 'ann@[127.0.0.1]',
  'a comment': 'ann(x)@example.com',
  'a label that begins with a hyphen': 'ann@-example.com',
  'a local part of 65 characters': `${'a'.repeat(65)}@example.com`,
  'more than 254 characters': `ann@${'a.'.repeat(130)}com`,
}
for (const [what, text] of Object.entries(invalid)) {
  test(`an address with ${what} is rejected`, (t) => t.is(normalizeEmail(text), undefined))
}

test('a normalized address is ASCII with one @, and normalizing it again changes nothing', (t) => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress())
  fc.assert(
    fc.property(text, (input) => {
      const email = normalizeEmail(input)
      if (email === undefined) return
      t.regex(email, /^[!-?A-~]+@[a-z0-9.-]*[a-z0-9]$/)
      t.is(normalizeEmail(email), email)
    }),
  )
  t.pass()
})
