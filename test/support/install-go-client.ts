import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * `node test/support/install-go-client.ts <package>` replaces
 * `go get github.com/daikon-auth/daikon/clients/go/<package>` in the tests. Adds the client of this
 * repository to the module in the current folder, as if from a module proxy.
 */
const root = join(import.meta.dirname, '../..')
const proxy = mkdtempSync(join(tmpdir(), 'daikon-goproxy-'))
const text = { encoding: 'utf8' } as const

try {
  const pack = ['run', 'test/support/go-module-proxy.go', proxy]
  const [version] = execFileSync('go', pack, { cwd: root, ...text }).split(' ')
  const others = execFileSync('go', ['env', 'GOPROXY'], text).trim()
  const env = {
    ...process.env,
    GOPROXY: `${pathToFileURL(proxy).href},${others}`,
    GONOSUMDB: 'github.com/daikon-auth/*',
  }
  const name = `github.com/daikon-auth/daikon/clients/go/${process.argv[2]}`
  execFileSync('go', ['get', `${name}@${version}`], { env, stdio: 'inherit' })
} finally {
  rmSync(proxy, { recursive: true })
}
