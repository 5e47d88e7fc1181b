import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '../..')
const components = join(root, 'node_modules/@mantine/core/esm/components')

test('the console imports the styles of every Mantine component that it uses', (t) => {
  const stylesheet = readFileSync(join(root, 'console/src/mantine.css'), 'utf8')
  const imported = [...stylesheet.matchAll(/styles\/(\w+)\.css/g)].map(([, name]) => name)
  const missing = [...findStyledComponents()].filter((name) => !imported.includes(name))
  t.deepEqual(missing, ['CheckboxCard'], 'CheckboxCard is not used, but part of Checkbox')
})

/** Returns the styled components that the console imports, directly or indirectly. */
function findStyledComponents(): Set<string> {
  const styled = new Set<string>()
  const visited = new Set<string>()
  const waiting = [...findImportedNames(), 'Notification', 'Overlay'].map((name) =>
    join(components, name, `${name}.mjs`),
  )
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (visited.has(file) || !existsSync(file)) continue
    visited.add(file)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from "(\.[^"]+)"/g)) {
      const target = join(dirname(file), path)
      if (target.endsWith('.module.mjs')) styled.add(basename(target, '.module.mjs'))
      else if (target.startsWith(components)) waiting.push(target)
    }
  }
  return styled
}

function findImportedNames(): string[] {
  const folder = join(root, 'console/src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8')
      const [, names = ''] = /import \{([^}]*)\} from '@mantine\/core'/.exec(source) ?? []
      return names.split(',').map((name) => name.trim().split(' as ')[0] ?? '')
    })
}
