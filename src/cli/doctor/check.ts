import { explainFailure } from '../failure.ts'

/**
 * The result of one check of a deployment. `ok` is null if the check is meaningless until the cause of
 * another finding is removed.
 */
export type Finding = { check: string; ok: boolean | null; detail: string }

/** Ends a check that depends on something that another finding reports. */
export class NotChecked extends Error {}

/**
 * Returns a description of what is correct. Throws an Error that describes the problem and how to
 * fix it, or a NotChecked.
 */
export type Check = () => string | Promise<string>

export async function runChecks(checks: Record<string, Check>): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, run] of Object.entries(checks)) {
    try {
      findings.push({ check, ok: true, detail: await run() })
    } catch (error) {
      if (error instanceof NotChecked) {
        findings.push({ check, ok: null, detail: `not checked: ${error.message}` })
      } else {
        findings.push({ check, ok: false, detail: (await explainFailure(error)).message })
      }
    }
  }
  return findings
}
