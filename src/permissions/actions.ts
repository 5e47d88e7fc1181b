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
import { actorOf, recordActivityStatement } from '../activity/record-activity.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import { type RequestContext, requireUser, type WriteContext } from '../core/request-context.ts'
import { executeBound } from '../database/bound-statement.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import type { StatementPool } from '../database/statement-pool.ts'
import { inTransaction } from '../database/transaction.ts'
import { type Decision, defineDecision } from './decision.ts'

/** What every resource knows without registration (specification 2). */
const builtIn = ['view', 'edit']

/** Adds actions of a service and updates their descriptions; answers all that it has now. */
export async function registerActions(
  { em, principal }: WriteContext,
  { service_name, actions }: RegisterActionsRequest,
): Promise<ServiceActions> {
  requireNewNames(actions.map(({ name }) => name))
  const rows = actions.map(({ name, description = '' }) => ({ id: uuid(), name, description }))
  return inTransaction(em, async (em) => {
    // In one order, so that two nodes of a service that start at once wait for each other.
    const changed = await em.execute<{ id: string; name: string }[]>(
      `insert into service_actions as known (id, service_name, name, description)
       select id, ?, name, description
       from jsonb_to_recordset(?::jsonb) as given (id uuid, name text, description text)
       order by name
       on conflict (service_name, name) do update set description = excluded.description
       where known.description <> excluded.description
       returning id, name`,
      [service_name, JSON.stringify(rows)],
    )
    const added = new Set(rows.map(({ id }) => id))
    const told = Map.groupBy(changed, ({ id }) =>
      added.has(id) ? 'service_action.registered' : 'service_action.updated',
    )
    for (const [action, some] of told) {
      const entries = some.map(({ id, name }) => ({ targetId: id, detail: { service_name, name } }))
      await executeBound(em, recordActivityStatement(actorOf(principal), action, entries))
    }
    const [service] = await findActions(em, 'where service_name = ?', [service_name])
    return service ?? { service_name, actions: [] }
  })
}

/** Lists the actions of a service that custom roles currently give the user in the token's workspace. */
export function createListGrantedActions(
  statements: StatementPool,
): Decision<ListGrantedActionsRequest, ListGrantedActionsResponse> {
  return defineDecision({
    checks: () => [],
    async handle({ principal }, { service_name }) {
      const { id, workspaceId } = requireUser(principal)
      const values = [service_name, id, workspaceId]
      const rows = await statements.rows<[string]>('granted actions', grantedSql, values)
      return { service_name, actions: rows.map(([name]) => name) }
    },
  })
}

/** Every service's actions, by service and name. */
export async function listServiceActions(
  { em }: RequestContext,
  _request: ListServiceActionsRequest,
): Promise<ListServiceActionsResponse> {
  return { services: await findActions(em, '', []) }
}

const grantedSql = `
  select name from service_actions a
  where service_name = $1 and exists (
    select from custom_role_actions ra
    join custom_role_members rm on rm.role_id = ra.role_id
    where ra.service_action_id = a.id and rm.user_id = $2 and rm.workspace_id = $3
  )
  order by name`

type ActionRow = Omit<ServiceAction, 'registered_at'> & {
  service_name: string
  registered_at: Timestamp
}

async function findActions(
  em: EntityManager,
  where: string,
  values: string[],
): Promise<ServiceActions[]> {
  const columns = 'service_name, id, name, description, registered_at'
  const sql = `select ${columns} from service_actions ${where} order by service_name, name`
  const rows = await em.execute<ActionRow[]>(sql, values)
  const services = Map.groupBy(rows, ({ service_name }) => service_name)
  return [...services].map(([service_name, actions]) => ({
    service_name,
    actions: actions.map(({ service_name: _, registered_at, ...action }) => ({
      ...action,
      registered_at: isoTime(registered_at),
    })),
  }))
}

function requireNewNames(names: string[]): void {
  const problems = names.flatMap((name, at): FieldViolation[] => {
    const field = `actions[${at}].name`
    if (builtIn.includes(name)) return [{ field, message: 'is built in' }]
    return names.indexOf(name) < at ? [{ field, message: 'stands there twice' }] : []
  })
  if (problems.length > 0) throw invalidArgument(...problems)
}
