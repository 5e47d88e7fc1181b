import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** A source of a value, such as files, that operators can replace while the server runs. */
export type Source<Value> = {
  /**
   * Returns a version of the content, and a function that parses it and throws if it is invalid.
   */
  read(): Promise<{ version: string; parse(): Value | Promise<Value> }>
}

/**
 * Creates a source that reads files. Its version is a digest of their contents, because Kubernetes
 * updates mounted files by replacing symbolic links.
 */
export function createFileSource<Value>(
  paths: string[],
  parse: (contents: Buffer[]) => Value | Promise<Value>,
): Source<Value> {
  return {
    async read() {
      const contents = await Promise.all(paths.map((path) => readFile(path)))
      const digests = contents.map((content) => hash('sha256', content))
      return { version: digests.join(), parse: () => parse(contents) }
    },
  }
}
