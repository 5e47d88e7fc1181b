import type { EntityManager } from '@mikro-orm/postgresql'
import { Command } from 'commander'
import { normalizeEmail } from '../core/email.ts'
import { isUuid } from '../core/uuid.ts'
import type { Reason } from '../permissions/evaluate/explain.ts'
import type { Explanation } from '../permissions/evaluate/load-explanations.ts'
import { UsageError } from './failure.ts'
import { print } from './output.ts'
import { type Session, withDatabase } from './session.ts'
import type { Names } from './why-text.ts'

export function whyCommand(): Command {
  return new Command('why')
    .description('explain why a user may or may not perform an action on a resource')
    .argument('<user>', 'e-mail address, external ID or ID of the user')
    .argument('<action>', 'view, edit, manage or an action of the service')
    .argument('<resource>', '<service>/<type>/<id>, with the external ID or the UUID')
    .action(async (user: string, action: string, name: string, _options, command) => {
      const { text, ...result } = await withDatabase((session) =>
        explainAccess(session, user, action, name),
      )
      print(command, result, [text])
    })
}

/**
 * Decides whether a user may perform an action on the resource `<service>/<type>/<id>`. Explains
 * the decision with a list of reasons and a sentence.
 */
export async function explainAccess(
  { em, statements }: Pick<Session, 'em' | 'statements'>,
  user: string,
  action: string,
  name: string,
): Promise<{ decision: boolean; reasons: Reason[]; text: string }> {
  const { findReasons } = await import('../permissions/evaluate/explain.ts')
  const { decide } = await import('../permissions/evaluate/load-evaluations.ts')
  const { createLoadExplanations } = await import('../permissions/evaluate/load-explanations.ts')
  const { toResourceId } = await import('../permissions/evaluate/resource-id.ts')
  const { describeDecision } = await import('./why-text.ts')
  const resource = readResource(name)
  const { service_name, resource_type, id } = resource
  const resource_id = toResourceId(service_name, resource_type, id)
  const userId = isUuid(user) ? user : undefined
  const subject = { externalId: user, userId, email: normalizeEmail(user) }
  const check = { subject, service_name, resource_type, resource_id, action }
  const [explanation] = await createLoadExplanations(statements)([check])
  if (!explanation) throw new Error('The decision has no explanation')
  const reasons = findReasons(action, explanation)
  const names = await findNames(em, { ...check, userId: explanation.userId }, explanation)
  return {
    decision: decide(explanation, action),
    reasons,
    text: describeDecision({ user, action, resource, reasons, explanation, names }),
  }
}

/** Splits `docs/document/roadmap` into its parts. The ID may contain slashes. */
function readResource(name: string) {
  const [, service_name = '', resource_type = '', id = ''] =
    /^([^/]+)\/([^/]+)\/(.+)$/.exec(name) ?? []
  if (!id) throw new UsageError(`${name} is not of the form <service>/<type>/<id>`)
  return { service_name, resource_type, id }
}

type NamesRow = {
  user_name: string | null
  workspace: string | null
  inherits: boolean | null
  group_count: number
}

/** Parameters: user ID or null, service name, resource type and resource ID. Returns a NamesRow. */
const namesSql = `
  select u.user_name, w.name as workspace, r.parent_id is not null and r.inherits as inherits, (
      select count(*)::int from group_members g
      where g.user_id = $1 and g.workspace_id = r.workspace_id
    ) as group_count
  from (
    select (select coalesce(nullif(name, ''), email) from users where id = $1) as user_name
  ) u
  left join resource_kinds k on k.service_name = $2 and k.resource_type = $3
  left join resources r on r.kind_id = k.id and r.resource_id = $4
  left join workspaces w on w.id = r.workspace_id`

/** Loads the names of everything that an explanation refers to. */
async function findNames(
  em: EntityManager,
  check: {
    userId: string | undefined
    service_name: string
    resource_type: string
    resource_id: string
  },
  { grantList }: Explanation,
): Promise<Names> {
  const { query } = await import('../database/query.ts')
  const { userId, service_name, resource_type, resource_id } = check
  const values = [userId, service_name, resource_type, resource_id]
  const [row] = await query<NamesRow>(em, namesSql, values)
  const groupIds = grantList.flatMap(({ group_id, via = [] }) =>
    group_id ? [group_id, ...via] : [],
  )
  const groups = await query<{ id: string; name: string }>(
    em,
    'select id, name from groups where id = any($1::uuid[])',
    [groupIds],
  )
  return {
    user: row?.user_name ?? undefined,
    workspace: row?.workspace ?? undefined,
    inherits: row?.inherits ?? false,
    groupCount: row?.group_count ?? 0,
    groups: new Map(groups.map(({ id, name }) => [id, name])),
  }
}
