import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Where a value is read from that operators replace while the server runs, such as files. */
export type Source<Value> = {
  /** Returns what identifies the content, and a function that parses it and throws if it is invalid. */
  read(): Promise<{ version: string; parse(): Value | Promise<Value> }>
}

/** A source of files. Their contents are compared, because volumes of Kubernetes replace them by symbolic links. */
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
