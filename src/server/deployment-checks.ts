import type { DeploymentChecks, ReadRows } from '../core/deployment-checks.ts'
import type { Config } from './config.ts'
import { type FeatureParts, joinTables } from './feature.ts'
import { parts } from './parts.ts'

/** Returns the checks for `daikon doctor` of all features. */
export function createDeploymentChecks(readRows: ReadRows, config: Config): DeploymentChecks {
  const all: readonly FeatureParts[] = parts
  return joinTables(all.map(({ createChecks }) => createChecks?.(readRows, config as never) ?? {}))
}
