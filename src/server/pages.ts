import { join } from 'node:path'
import { type BuiltPage, createBuiltPage } from '../http/built-page.ts'
import type { Config } from './config.ts'
import { allFeatures, listFeatureNames } from './features.ts'

const consoleFolder = join(import.meta.dirname, '../../console')

/** Creates the pages of all features, by path. */
export function createPages(settings: Config): Map<string, BuiltPage> {
  const { BASE_URL: baseUrl, COOKIE_SECURE: secureCookies, DEBUG: debug } = settings
  const names = listFeatureNames(settings)
  const pages = allFeatures.flatMap(({ page }) => page ?? [])
  return new Map(
    pages.map(({ path, folder, createSettings }) => {
      const own = createSettings(settings as never, names)
      const options = { baseUrl, secureCookies, debug }
      return [path, createBuiltPage(join(consoleFolder, folder), own, options)]
    }),
  )
}
