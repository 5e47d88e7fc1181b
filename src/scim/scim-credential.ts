import type { CollectUses } from '../core/collect-uses.ts'
import type { CredentialKind } from '../core/credential-kind.ts'
import { ServiceError } from '../core/errors.ts'
import type { Statements } from '../database/statement-pool.ts'
import { maxKeyMemory } from '../identity/api-keys.ts'
import { hasAuthorization, requireBearer } from '../identity/credentials/bearer.ts'
import { digestToken, type TokenMemory } from '../identity/token-memory.ts'
import { reasons as workspaceReasons } from '../workspaces/reasons.ts'
import {
  createFindScimToken,
  type FindScimToken,
  type ScimTokenOwner,
  scimTokenInvalid,
} from './scim-tokens.ts'
import { recordScimTokenUsageSql } from './store/scim-token-store.ts'

/** Creates the kind of SCIM tokens. */
export function createScimKinds({
  memory,
  statements,
  collectUses,
}: {
  memory: TokenMemory
  statements: Statements
  collectUses: CollectUses
}): CredentialKind[] {
  const noteUse = collectUses('SCIM token usage', recordScimTokenUsageSql)
  return [createScimKind(memory, createFindScimToken(statements), noteUse)]
}

/**
 * The SCIM token of a workspace: `authorization: Bearer <token>`. Every call reads it, so that it ends
 * immediately. It is remembered only to count the calls of a workspace before that.
 */
function createScimKind(
  memory: TokenMemory,
  findScimToken: FindScimToken,
  onScimTokenUsed: (tokenId: string, now: Date) => void,
): CredentialKind<ScimTokenOwner> {
  async function findAndRemember(token: string, digest: string, now: Date) {
    const owner = await findScimToken(token)
    if (!owner) throw scimTokenInvalid()
    memory.remember(digest, { other: owner }, now.getTime() + maxKeyMemory * 1000, now)
    return owner
  }

  return {
    name: 'scim',
    provesCaller: true,
    isPresented: hasAuthorization,

    verify(credentials, _policy, now, onlyRemembered) {
      const token = requireBearer(credentials)
      credentials.digest ??= digestToken('scim', token)
      const { digest } = credentials
      if (!onlyRemembered) return findAndRemember(token, digest, now)
      return memory.find(digest, now)?.other as ScimTokenOwner | undefined
    },

    authenticate(principal, owner, _status, _call, now) {
      onScimTokenUsed(owner.tokenId, now)
      principal.scim = owner
    },

    authorize({ scim }, { workspaceField }, request) {
      // As if the workspace did not exist, also for text that is no ID.
      if (scim && request[workspaceField ?? ''] !== scim.workspaceId)
        throw new ServiceError(workspaceReasons.WORKSPACE_NOT_FOUND)
    },

    tenants: ({ workspaceId }) => [{ key: `workspace ${workspaceId}`, of: 'workspace' }],
    windows: () => ['service'],
    clientIn: (_window, { tokenId }) => `scim ${tokenId}`,
  }
}
