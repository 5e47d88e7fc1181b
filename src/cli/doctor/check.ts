import { explainFailure } from '../failure.ts'

/** The result of one check of a deployment. */
export type Finding = { check: string; ok: boolean; detail: string }

/**
 * Returns a description of what is correct. Throws an Error that describes the problem and how to
 * fix it.
 */
export type Check = () => string | Promise<string>

export async function runChecks(checks: Record<string, Check>): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, run] of Object.entries(checks)) {
    try {
      findings.push({ check, ok: true, detail: await run() })
    } catch (error) {
      findings.push({ check, ok: false, detail: (await explainFailure(error)).message })
    }
  }
  return findings
}

export function expect(isRight: boolean, detail: string, advice: string): string {
  if (!isRight) throw new Error(advice)
  return detail
}
