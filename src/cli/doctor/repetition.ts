import type { Finding } from './check.ts'

/** What is wrong with a setting. */
export type Mistake = { setting: string; detail: string }

/** The settings that a problem begins with, as in `BASE_URL and COOKIE_SECURE must …`. */
const subject = /^[A-Z][A-Z0-9_]+(?:(?:, | and )[A-Z][A-Z0-9_]+)*/

/**
 * Marks a finding as not checked if it only follows from invalid settings, so that each cause is
 * reported once.
 */
export function withoutRepetition(findings: Finding[], mistakes: Mistake[]): Finding[] {
  const mistaken = new Set(mistakes.map(({ setting }) => setting))
  return findings.map((finding) => {
    const [named] = (finding.ok === false && subject.exec(finding.detail)) || []
    const settings = named?.split(/, | and /) ?? []
    if (settings.length === 0 || !settings.every((setting) => mistaken.has(setting))) return finding
    return { ...finding, ok: null, detail: `not checked: correct ${settings.join(' and ')} first` }
  })
}
