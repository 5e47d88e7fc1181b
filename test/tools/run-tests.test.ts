import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'

const root = join(import.meta.dirname, '../..')
const asRoot = userInfo().uid === 0 ? test : test.skip

/** The programs of util-linux and others that run a program as another user. */
const userPrograms = ['unshare', 'setpriv', 'nsenter', 'runuser', 'su', 'sudo']

/** Links the programs of PATH into a folder, without those that change the user. */
async function linkPrograms(folder: string): Promise<void> {
  for (const path of (process.env.PATH ?? '').split(delimiter).filter(existsSync)) {
    for (const name of await readdir(path)) {
      const link = join(folder, name)
      if (userPrograms.includes(name) || existsSync(link)) continue
      await symlink(join(path, name), link).catch(() => {})
    }
  }
}

asRoot('root runs npm test without programs that change the user', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-programs-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await chmod(folder, 0o755)
  await linkPrograms(folder)
  const { TEST_DATABASE_URL: _, TEST_KEYS: _keys, ...env } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['tools/run-tests.ts', 'test/architecture/source-map.test.ts'],
    { cwd: root, env: { ...env, PATH: folder } },
  )
  t.regex(stdout, /\n\d+ passed, 0 failed\n$/)
})
