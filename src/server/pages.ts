import { join } from 'node:path'
import { type BuiltPage, createBuiltPage } from '../http/console.ts'
import type { Config } from './config.ts'
import type { Feature } from './feature.ts'
import { features } from './features.ts'

const consoleFolder = join(import.meta.dirname, '../../console')

/** Creates the pages of all features, by path. */
export function createPages(settings: Config): Map<string, BuiltPage> {
  const { BASE_URL: baseUrl, COOKIE_SECURE: secureCookies, DEBUG: debug } = settings
  const names = features.map(({ name }) => name)
  const all: readonly Feature[] = features
  const pages = all.flatMap(({ page }) => page ?? [])
  return new Map(
    pages.map(({ path, folder, createSettings }) => {
      const own = createSettings(settings as never, names)
      const options = { baseUrl, secureCookies, debug }
      return [path, createBuiltPage(join(consoleFolder, folder), own, options)]
    }),
  )
}
