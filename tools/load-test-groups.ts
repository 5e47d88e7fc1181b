import { registerHooks } from 'node:module'
import { readGroups } from './test-groups.ts'

// Loaded by `npm test` in the thread of each test file. The first file of a group declares the tests of all of them.
const groups = readGroups(process.env.TEST_GROUPS)
const shared = new URL('./grouped-tests.ts', import.meta.url).href
const marker = '?grouped'
const scheme = 'ava-of:'

if (groups.size > 0)
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'ava' || !context.parentURL?.endsWith(marker))
        return next(specifier, context)
      return { url: scheme + context.parentURL, format: 'module', shortCircuit: true }
    },
    load(url, context, next) {
      const source = describeGroup(groups.get(url)) ?? describeTest(url)
      return source ? { format: 'module', source, shortCircuit: true } : next(url, context)
    },
  })

function describeGroup(files: string[] | undefined): string | undefined {
  return (
    files &&
    `import { declareTests } from '${shared}'
    for (const file of ${JSON.stringify(files)}) await import(file + '${marker}')
    declareTests()`
  )
}

function describeTest(url: string): string | undefined {
  if (!url.startsWith(scheme)) return undefined
  return `import { testOf } from '${shared}'
    export default testOf('${url.slice(scheme.length, -marker.length)}')`
}
