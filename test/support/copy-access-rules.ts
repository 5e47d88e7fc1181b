import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * `node test/support/copy-access-rules.ts <folder>`: copies the access rules of the server to the
 * generated code of a client, so that its fake makes the same decisions.
 */
const files = ['permissions/access.ts', 'core/roles.ts']
const source = join(import.meta.dirname, '../../src')
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Name the folder to copy to')

for (const file of files) {
  const target = join(folder, file)
  mkdirSync(dirname(target), { recursive: true })
  const header = `// Copied from src/${file} by \`npm run generate\`. DO NOT EDIT.\n\n`
  writeFileSync(target, header + readFileSync(join(source, file), 'utf8'))
}
