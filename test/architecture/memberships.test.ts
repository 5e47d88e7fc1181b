import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import test from 'ava'

/** SQL that reads or changes the table, and imports of its entity. */
const tableUse =
  /\b(?:from|join|into|update|truncate|table|references)\s+(?:only\s+)?"?members\b|\bimport\b[^'"]*\bMember\b[^'"]*entities\/people/i

test('only migrations and the store of memberships name the table `members`', async (t) => {
  const allowed = [
    /^src\/database\/migrations\//,
    /^src\/database\/orm\.ts$/,
    /^src\/workspaces\/store\/member-store\.ts$/,
  ]
  const files = globSync('src/**/*.ts').filter(
    (file) => !allowed.some((pattern) => pattern.test(file)),
  )
  t.true(files.length > 100)
  for (const file of files) t.notRegex(await readFile(file, 'utf8'), tableUse, file)
  t.regex(await readFile('src/workspaces/store/member-store.ts', 'utf8'), tableUse)
})
