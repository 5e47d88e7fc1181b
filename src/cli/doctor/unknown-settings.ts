import { findNearestName } from '../../core/nearest-names.ts'
import { settings } from '../../server/config.ts'
import type { Mistake } from './repetition.ts'

/** The edits by which a misspelt name differs from a setting. Shorter settings resemble other variables. */
const maxEdits = 2
const minLength = 8

/** Returns what is wrong with each variable whose name resembles that of a setting, and the setting. */
export function findMisspeltSettings(environment: NodeJS.ProcessEnv): Mistake[] {
  const known = Object.keys(settings).filter(({ length }) => length >= minLength)
  return Object.keys(environment)
    .filter((name) => !Object.hasOwn(settings, name))
    .flatMap((name) => {
      const meant = findNearestName(name, known, maxEdits)
      if (!meant) return []
      return [{ setting: meant, detail: `${name} is not a setting; did you mean ${meant}?` }]
    })
}
