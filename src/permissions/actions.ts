import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  ListServiceActionsRequest,
  ListServiceActionsResponse,
} from '../../gen/daikon/v1/admin_roles.ts'
import type {
  ListGrantedActionsRequest,
  ListGrantedActionsResponse,
  RegisterActionsRequest,
  ServiceAction,
  ServiceActions,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf, recordActivityBatch } from '../activity/record-activity.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import { type RequestContext, requireUser, type WriteContext } from '../core/request-context.ts'
import { query } from '../database/query.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import type { Statements } from '../database/statement-pool.ts'
import { inTransaction } from '../database/transaction.ts'
import { builtInActions } from './access.ts'
import { type Decision, defineDecision } from './decision.ts'
import { grantedActionsSql, listActionsSql, upsertActionsSql } from './queries.ts'

/**
 * Registers actions of a service, or updates their descriptions, and returns all its actions.
 *
 * @throws ServiceError `invalid_argument` if a name is built in or duplicated
 */
export async function registerActions(
  { em, principal }: WriteContext,
  { service_name, actions }: RegisterActionsRequest,
): Promise<ServiceActions> {
  requireValidNames(actions.map(({ name }) => name))
  const rows = actions.map(({ name, description = '' }) => ({ id: uuid(), name, description }))
  return inTransaction(em, async (em) => {
    const changed = await query<{ id: string; name: string }>(em, upsertActionsSql, [
      service_name,
      JSON.stringify(rows),
    ])
    const newIds = new Set(rows.map(({ id }) => id))
    const changedByEvent = Map.groupBy(changed, ({ id }) =>
      newIds.has(id) ? 'service_action.registered' : 'service_action.updated',
    )
    for (const [event, group] of changedByEvent) {
      const entries = group.map(({ id, name }) => ({
        targetId: id,
        detail: { service_name, name },
      }))
      await recordActivityBatch(em, actorOf(principal), event, entries)
    }
    const [service] = await listActions(em, service_name)
    return service ?? { service_name, actions: [] }
  })
}

/**
 * Creates the handler that lists the actions of a service that custom roles grant the user in the
 * workspace of the token.
 */
export function createListGrantedActions(
  statements: Statements,
): Decision<ListGrantedActionsRequest, ListGrantedActionsResponse> {
  return defineDecision({
    checks: () => [],
    async handle({ principal }, { service_name }) {
      const { id, workspaceId } = requireUser(principal)
      const values = [service_name, id, workspaceId]
      const rows = await statements.rows<[string]>('granted actions', grantedActionsSql, values)
      return { service_name, actions: rows.map(([name]) => name) }
    },
  })
}

/** Lists the actions of all services, ordered by service and name. */
export async function listServiceActions(
  { em }: RequestContext,
  _request: ListServiceActionsRequest,
): Promise<ListServiceActionsResponse> {
  return { services: await listActions(em) }
}

type ActionRow = Omit<ServiceAction, 'registered_at'> & {
  service_name: string
  registered_at: Timestamp
}

async function listActions(em: EntityManager, serviceName?: string): Promise<ServiceActions[]> {
  const rows = await query<ActionRow>(em, listActionsSql, [serviceName])
  const rowsByService = Map.groupBy(rows, ({ service_name }) => service_name)
  return [...rowsByService].map(([service_name, actions]) => ({
    service_name,
    actions: actions.map(({ service_name: _, registered_at, ...action }) => ({
      ...action,
      registered_at: isoTime(registered_at),
    })),
  }))
}

function requireValidNames(names: string[]): void {
  const violations = names.flatMap((name, index): FieldViolation[] => {
    const field = `actions[${index}].name`
    if (builtInActions.includes(name)) return [{ field, message: 'is built in' }]
    return names.indexOf(name) < index ? [{ field, message: 'is duplicated' }] : []
  })
  if (violations.length > 0) throw invalidArgument(...violations)
}
