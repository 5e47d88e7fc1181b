import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '../..')
const read = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))

/** The titles of dialogs in the sources of the console: of forms, and of what asks to confirm. */
const titles = new Set(
  read('console/src/**/*.tsx').flatMap((source) =>
    [
      ...source.matchAll(
        /<(?:FormModal|BulkDialog|Dialog|Modal)\b[^>]*?\btitle=(?:"([^"]+)"|\{`([^`]+)`\})/g,
      ),
      ...source.matchAll(/\b(?:confirm\(|confirmation=\{)\{\s*title: (?:'([^']+)'|`([^`]+)`)/g),
    ].map(([, text, template]) => text ?? template ?? ''),
  ),
)

/** The strings in the tests that press the dialogs. */
const strings = read('test/console/*.test.ts').flatMap((source) =>
  [...source.matchAll(/'([^'\n]+)'|`([^`\n]+)`/g)].map(([, text, template]) => text ?? template),
)

/** Returns a pattern for a title whose `${…}` are replaced by names. */
function toPattern(title: string): RegExp {
  const parts = title
    .split(/\$\{[^}]*\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`)
}

test('the titles of dialogs are found', (t) => {
  t.true(titles.size >= 25)
  t.true(titles.has('Share this resource'))
})

test('a test names every dialog of the console', (t) => {
  const missing = [...titles].filter((title) => {
    const pattern = toPattern(title)
    return !strings.some((text) => text !== undefined && pattern.test(text))
  })
  t.deepEqual(missing, [])
})
