import type { Hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'rolldown'

const cache = join(import.meta.dirname, '../node_modules/.cache')

/**
 * Returns the folder of a version of a bundle. `build` writes the files that are to be in this folder to a temporary one,
 * unless the version exists.
 */
export async function buildOnce(
  name: string,
  version: Hash,
  build: (temporary: string, folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cache, `${name}-${version.digest('hex').slice(0, 16)}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const temporary = mkdtempSync(`${folder}-`)
  await build(temporary, folder)
  // Another run may have been faster.
  if (existsSync(folder)) rmSync(temporary, { recursive: true })
  else renameSync(temporary, folder)
  return folder
}

/** Lets modules find the files next to them, such as .proto files. */
export const keepPaths: Plugin = {
  name: 'paths',
  transform(code, id) {
    if (id.startsWith('\0') || !/__dirname|__filename|import\.meta\./.test(code)) return
    const [folder, file] = [dirname(id), id].map((path) => JSON.stringify(path))
    return code
      .replaceAll(/\b__dirname\b|\bimport\.meta\.dirname\b/g, folder ?? '')
      .replaceAll(/\b__filename\b|\bimport\.meta\.filename\b/g, file ?? '')
      .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(id).href))
  },
}
