import type { CredentialKind } from '../core/credential-kind.ts'
import type { CredentialDependencies, Feature } from './feature.ts'
import { features } from './features.ts'

/** Returns the kinds of credentials of all features. A method whose kinds are not here is refused. */
export function createCredentialKinds(dependencies: CredentialDependencies): CredentialKind[] {
  const all: readonly Feature[] = features
  const variants = all.flatMap((feature) => feature.createVariants?.(dependencies) ?? [])
  return all.flatMap((feature) => feature.createCredentialKinds?.(dependencies, variants) ?? [])
}
