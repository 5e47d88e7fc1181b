import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import {
  fewCondition,
  fewOfFoldersCondition,
  lazyCondition,
  manyCondition,
  maxFolderGrants,
  resolveKeys,
} from '../../clients/typescript/src/access/copy/sql/lists.ts'

const path = join(import.meta.dirname, '../../docs/listing-with-your-own-database.md')
const page = readFileSync(path, 'utf8')

const document = { type: 'document', includesMaybe: false, workspaceId: undefined }
const parametersOfKeys = [
  'holder_entries',
  'holders',
  'level_entries',
  'levels',
  'certain_entries',
  'type',
  'table',
  'max_folders',
]
/** The statements of the library, and the names of their parameters. */
const statements: Record<string, [sql: string, parameters: string[]]> = {
  'resolve-keys': [resolveKeys, parametersOfKeys],
  few: [fewCondition(document, 'd.id', '$1'), ['keys']],
  many: [manyCondition(document, 'd.id', '$1'), ['keys']],
  lazy: [lazyCondition(document, 'd.id', '$1'), ['keys']],
  'few-of-folders': [fewOfFoldersCondition(document, 'd.id', '$1'), ['keys']],
}

for (const [name, [sql, parameters]] of Object.entries(statements))
  test(`the documented statement ${name} is what the library runs`, (t) => {
    const [, documented = ''] =
      new RegExp(`<!-- ${name} -->\\n\`\`\`sql\\n([^\`]+)\`\`\``).exec(page) ?? []
    t.is(normalize(documented), normalize(withNames(sql, parameters)))
  })

test('the documented number of folders is what the library reads', (t) => {
  t.true(page.includes(`| \`max_folders\` | \`${maxFolderGrants + 1}\` |`))
})

/** Names the parameters, in the form that libraries for other languages accept. */
function withNames(sql: string, names: string[]): string {
  const nameOf = (number: string) => `:${names[Number(number) - 1]}`
  return sql
    .replace(/\$(\d+)::(\w+(\[\])?)/g, (_, number, type) => `cast(${nameOf(number)} as ${type})`)
    .replace(/\$(\d+)/g, (_, number) => nameOf(number))
}

/** Lines may be broken anywhere. */
function normalize(sql: string): string {
  return sql
    .replace(/\s+/g, ' ')
    .replace(/([([]) | (?=[)\]])/g, '$1')
    .trim()
}
