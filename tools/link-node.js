import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/*
 * Runs after `npm ci`, possibly under Node.js 20: links the bundled Node.js into node_modules/.bin, so
 * that scripts run under it. npm 11 does this itself. npm 10 removes the link when it skips the
 * packages for other platforms, which have a command of the same name.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const { optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const bundled = Object.keys(optionalDependencies).find((name) =>
  existsSync(`${root}node_modules/${name}/bin/node`),
)
const link = `${root}node_modules/.bin/node`
if (bundled && !existsSync(link)) symlinkSync(`../${bundled}/bin/node`, link)
