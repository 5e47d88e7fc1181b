import type { FindApiKey } from '../../identity/api-keys.ts'
import type { ResourceServices } from '../../identity/ports.ts'
import type { TokenMemory } from '../../identity/token-memory.ts'
import type { Tokens } from '../../identity/tokens.ts'
import { createVerifyAccessToken } from '../../identity/user-tokens.ts'
import type { FindLink } from '../find-link.ts'
import type { SubjectNames } from './subject-table.ts'

export type SubjectNamesDependencies = {
  findApiKey: FindApiKey
  tokenMemory: TokenMemory
  tokens: Tokens
  resourceServices: ResourceServices
  now: () => Date
  findLink: FindLink
}

/** Creates what names the subjects that tokens, API keys and links identify. */
export function createSubjectNames({
  findApiKey,
  tokenMemory: memory,
  tokens,
  resourceServices,
  now,
  findLink,
}: SubjectNamesDependencies): SubjectNames {
  const verifyAccessToken = createVerifyAccessToken({ memory, tokens, resourceServices }, now)
  return { findApiKey, verifyAccessToken, findLink }
}
