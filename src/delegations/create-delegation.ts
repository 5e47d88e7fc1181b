import type { CreateDelegationRequest, Delegation } from '../../gen/daikon/v1/delegations.ts'
import { ServiceError } from '../core/errors.ts'
import { reasons } from './reasons.ts'

/** Lets an agent act for the user. */
export async function createDelegation(
  _context: object,
  _request: CreateDelegationRequest,
): Promise<Delegation> {
  throw new ServiceError(reasons.AGENT_NOT_FOUND)
}
