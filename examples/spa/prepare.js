// Installs Vite and React, and the clients of this repository, so that the example runs before they are
// published. In a project of your own, `npm install` does all this.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname
const clients = join(folder, '../../clients')
const modules = join(folder, 'node_modules')

if (!existsSync(join(modules, 'vite')))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
for (const [source, name] of [
  ['typescript', '@daikon-auth/client'],
  ['browser', '@daikon-auth/browser'],
]) {
  const options = { cwd: join(clients, source), stdio: 'inherit' }
  execFileSync('npm', ['run', '--silent', 'build'], options)
  for (const path of ['package.json', 'dist'])
    cpSync(join(clients, source, path), join(modules, name, path), { recursive: true })
}
