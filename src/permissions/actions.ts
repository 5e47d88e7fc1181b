import type {
  ListServiceActionsRequest,
  ListServiceActionsResponse,
} from '../../gen/daikon/v1/admin_roles.ts'
import type {
  ListGrantedActionsRequest,
  ListGrantedActionsResponse,
  RegisterActionsRequest,
  ServiceActions,
} from '../../gen/daikon/v1/permissions.ts'
import type { WorkspaceRequest } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import { type RequestContext, requireUser, type WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import type { Statements } from '../database/statement-pool.ts'
import { builtInActions } from './access.ts'
import type { DecisionHandler } from './decision-handler.ts'
import {
  type ActionStore,
  coveredActionsSql,
  grantedActionsSql,
  type RegisteredAction,
} from './store/action-store.ts'

type ActionStores = { actions: ActionStore; activity: ActivityStore }

/**
 * Registers actions of a service, or updates their descriptions, and returns all its actions.
 *
 * @throws ServiceError `invalid_argument` if a name is built in or duplicated
 */
export async function registerActions(
  { stores, principal }: WriteContext<ActionStores>,
  { service_name, actions }: RegisterActionsRequest,
): Promise<ServiceActions> {
  requireValidNames(actions.map(({ name }) => name))
  const described = actions.map(({ name, description = '' }) => ({ name, description }))
  return stores.transaction(async (tx) => {
    const changed = await tx.actions.register(service_name, described)
    const events = changed.map(({ id, name, isNew }) => ({
      action: isNew ? ('service_action.registered' as const) : ('service_action.updated' as const),
      targetId: id,
      detail: { service_name, name },
    }))
    await tx.activity.record(actorOf(principal), ...events)
    const [service] = groupByService(await tx.actions.list(service_name))
    return service ?? { service_name, actions: [] }
  })
}

/**
 * Creates the handler that lists the actions of a service that custom roles grant the user in the
 * workspace of the token, as far as the delegation covers them by which an agent acts.
 */
export function createListGrantedActions(
  statements: Statements,
): DecisionHandler<ListGrantedActionsRequest, ListGrantedActionsResponse> {
  return {
    logLevel: 'debug',
    async handle({ principal }, { service_name }) {
      const { id, workspaceId, delegation } = requireUser(principal)
      const values = [service_name, id, workspaceId]
      const rows = delegation
        ? await statements.rows<[string]>('granted actions of delegations', coveredActionsSql, [
            ...values,
            delegation.id,
          ])
        : await statements.rows<[string]>('granted actions', grantedActionsSql, values)
      return { service_name, actions: rows.map(([name]) => name) }
    },
  }
}

/** Lists the actions of all services, ordered by service and name. */
export async function listServiceActions(
  { stores }: RequestContext<ActionStores>,
  _request: ListServiceActionsRequest | WorkspaceRequest,
): Promise<ListServiceActionsResponse> {
  return { services: groupByService(await stores.actions.list()) }
}

function groupByService(actions: RegisteredAction[]): ServiceActions[] {
  const actionsByService = Map.groupBy(actions, ({ serviceName }) => serviceName)
  return [...actionsByService].map(([service_name, actions]) => ({
    service_name,
    actions: actions.map(({ id, name, description, registeredAt }) => ({
      id,
      name,
      description,
      registered_at: isoTime(registeredAt),
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
