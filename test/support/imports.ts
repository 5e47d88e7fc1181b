import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** An import or a re-export. Paths are relative to the root; packages have their names. */
export type Import = { from: string; to: string; typeOnly: boolean }

export function readImports(root: string, files: string[]): Import[] {
  return files.flatMap((from) => {
    const text = readFileSync(join(root, from), 'utf8')
    const resolve = (target: string) =>
      target.startsWith('.') ? relative(root, join(root, dirname(from), target)) : target
    const statements = text.matchAll(/^(?:import|export) (type )?[^'"]*?from '([^']+)'/gm)
    const dynamic = text.matchAll(/\bimport\('([^']+)'\)/g)
    return [
      ...[...statements].map(([, type, target = '']) => ({
        from,
        to: resolve(target),
        typeOnly: type !== undefined,
      })),
      ...[...dynamic].map(([, target = '']) => ({ from, to: resolve(target), typeOnly: false })),
    ]
  })
}

/** Reads the relative imports of Python modules. Paths are relative to the root. */
export function readPythonImports(root: string, files: string[]): Import[] {
  return files.flatMap((from) => {
    const statements = readFileSync(join(root, from), 'utf8').matchAll(
      /^\s*from (\.+)([\w.]*) import (\w+)/gm,
    )
    return [...statements].flatMap(([, dots = '', module = '', name = '']) => {
      const up = Array.from({ length: dots.length - 1 }, () => '..')
      // `from . import name` imports a module.
      const target = join(dirname(from), ...up, ...(module === '' ? [name] : module.split('.')))
      const to = [`${target}.py`, join(target, '__init__.py')].find((file) => files.includes(file))
      return to === undefined ? [] : [{ from, to, typeOnly: false }]
    })
  })
}

/** Returns the cycles of imports, such as `a.ts → b.ts → a.ts`. */
export function findCycles(imports: Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: string[]) => {
    const at = path.indexOf(file)
    if (at !== -1) return void cycles.push([...path.slice(at), file].join(' → '))
    if (done.has(file)) return
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return cycles
}
