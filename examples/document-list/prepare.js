// Links the client of this repository, so that the example runs before the package is published. In a
// project of your own, `npm install @daikon-auth/client express pg` replaces this file.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const client = join(import.meta.dirname, '../../clients/typescript')
const link = join(import.meta.dirname, 'node_modules/@daikon-auth/client')
execFileSync('npm', ['run', '--silent', 'build'], { cwd: client, stdio: 'inherit' })
if (!existsSync(link)) {
  mkdirSync(join(link, '..'), { recursive: true })
  symlinkSync(client, link, 'junction')
}
