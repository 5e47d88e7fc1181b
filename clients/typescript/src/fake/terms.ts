import type { Condition, GrantTerms, Permission } from '../argument-types.ts'
import { readTerms } from '../arguments.ts'
import { invalidArgument } from '../errors.ts'
import { findDeclaration, requireCondition } from './declarations.ts'
import type { FakeState } from './state.ts'

/** What a share or link grants. */
export type Granted = {
  permission: Permission | undefined
  role: string | undefined
  expiresAt: Date | undefined
  condition: Condition | undefined
}

/**
 * Reads the terms of a share or link of a resource type. `isManaging` says whether its role contains
 * `manage`.
 *
 * @throws InvalidArgumentError
 */
export function readGranted(
  state: FakeState,
  type: string,
  { permission, role }: { permission?: Permission; role?: string },
  { expiresAt, condition: given }: GrantTerms,
): { terms: Granted; isManaging: boolean } {
  if (permission !== undefined && !['view', 'edit'].includes(permission))
    throw invalidArgument({ field: 'grant', message: 'must be one of view, edit' })
  const { condition } = readTerms({ expiresAt, condition: given })
  if (expiresAt && expiresAt.getTime() <= Date.now())
    throw invalidArgument({ field: 'expiresAt', message: 'must be in the future' })
  const declared = findDeclaration(state, type).roles.find(({ name }) => name === role)
  if (role !== undefined && !declared)
    throw invalidArgument({ field: 'grant.role', message: `is not a role of ${type}: ${role}` })
  requireCondition(state, type, condition)
  return {
    terms: { permission, role, expiresAt, condition },
    isManaging: declared?.actions.includes('manage') ?? false,
  }
}
