/** Runs a statement that only reads. */
export type ReadRows = <Row extends object>(sql: string) => Promise<Row[]>

/**
 * Checks of a deployment, by name. A check returns what is correct, or throws an Error that describes
 * the problem and how to fix it.
 */
export type DeploymentChecks = Record<string, () => Promise<string>>

/** Checks of settings alone, by name, which need no database. */
export type SettingChecks = Record<string, () => string>

/** Returns what is correct, or throws an Error with what to do. */
export function expect(isRight: boolean, detail: string, advice: string): string {
  if (!isRight) throw new Error(advice)
  return detail
}
