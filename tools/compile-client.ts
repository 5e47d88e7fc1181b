import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run, withTemporaryFolder } from './generated-code.ts'

/**
 * Compiles the client in the working directory. Files that change are replaced at once, because programs that
 * started before may be loading them.
 */
const client = process.cwd()
withTemporaryFolder((folder) => {
  run('tsc', '-p', client, '--outDir', folder)
  for (const name of globSync('**/*.{js,ts}', { cwd: folder })) {
    const source = join(folder, name)
    const target = join(client, 'dist', name)
    if (existsSync(target) && readFileSync(source).equals(readFileSync(target))) continue
    mkdirSync(dirname(target), { recursive: true })
    const complete = `${target}-${process.pid}`
    copyFileSync(source, complete)
    renameSync(complete, target)
  }
})
