import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const javaFolder = join(import.meta.dirname, '../../clients/java')

/** Whether clients/java/install, which .ci/run calls, has built the client and downloaded what the tests need. */
export const hasJavaClient = existsSync(join(javaFolder, 'target/complete'))
if (!hasJavaClient)
  console.info(
    'Run clients/java/install, which needs Java 17 and Maven: clients/java is not tested',
  )

/** Returns the class path of programs that use the client. */
export function readClassPath(): string {
  const dependencies = readFileSync(join(javaFolder, 'target/classpath.txt'), 'utf8').trim()
  return `${join(javaFolder, 'target/classes')}:${dependencies}`
}
