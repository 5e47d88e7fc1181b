/** Runs a statement that only reads. */
export type ReadRows = <Row extends object>(sql: string) => Promise<Row[]>

/**
 * Checks of a deployment, by name. A check returns what is correct, or throws an Error that describes
 * the problem and how to fix it.
 */
export type DeploymentChecks = Record<string, () => Promise<string>>
