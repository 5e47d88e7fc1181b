import { Command } from 'commander'
import type { PermissionPage } from '../../gen/daikon/v1/admin_permissions.ts'
import { parseJsonObject } from '../core/json-object.ts'
import { isUuid } from '../core/uuid.ts'
import { findContextViolation } from '../permissions/evaluate/context.ts'
import type { WireReason } from '../permissions/evaluate/wire-reason.ts'
import { overNetwork } from './admin-api.ts'
import { UsageError } from './failure.ts'
import { print } from './output.ts'
import { type Session, withDatabase } from './session.ts'
import { suggestUsers } from './suggest-users.ts'

export function whyCommand(): Command {
  const command = new Command('why')
    .description('explain why a user may or may not perform an action on a resource')
    .argument('<user>', 'e-mail address, external ID or ID of the user')
    .argument('<action>', 'view, edit, manage or an action of the service')
    .argument('<resource>', '<service>/<type>/<id>, with the external ID or the UUID')
    .option('--delegation <id>', 'explain what an agent may do by a delegation of the user')
    .option('--context <json>', 'what conditions read as context, a JSON object')
    .action(async (user: string, action: string, name: string, options, command) => {
      const context = readContext(options.context)
      const { delegation } = options
      if (delegation !== undefined && !isUuid(delegation))
        throw new UsageError(`${delegation} is not the ID of a delegation`)
      const more = { context, delegation }
      const { server } = command.optsWithGlobals()
      const { text, ...result } =
        server === undefined
          ? await withDatabase((session) => explainAccess(session, user, action, name, more))
          : await explainOnServer(server, user, action, name, more)
      const isUnknown = result.reasons.some(({ rule }) => rule === 'user_unknown')
      const suggestions = isUnknown ? await suggestUsers(command, user) : []
      print(command, { ...result, ...(isUnknown && { suggestions }) }, [
        text,
        ...(suggestions.length > 0 ? [`Did you mean ${suggestions.join(' or ')}?`] : []),
      ])
    })
  return overNetwork(command)
}

/** What is asked beside the resource: `delegation` is an ID. */
type Details = { context?: Record<string, unknown> | undefined; delegation?: string | undefined }

type Answer = { decision: boolean; reasons: WireReason[]; text: string }

/**
 * Decides whether a user, or an agent by a delegation of the user, may perform an action on the resource
 * `<service>/<type>/<id>`. Explains the decision with a list of reasons and a sentence.
 *
 * @throws UsageError if the user has no such delegation
 */
export async function explainAccess(
  { statements }: Pick<Session, 'statements'>,
  user: string,
  action: string,
  name: string,
  { context, delegation }: Details = {},
): Promise<Answer> {
  const { describeDecision } = await import('../permissions/evaluate/decision-sentence.ts')
  const { explainAgent } = await import('../permissions/evaluate/permission-subjects.ts')
  const { findReasons } = await import('../permissions/evaluate/reasons.ts')
  const { toWireReason } = await import('../permissions/evaluate/wire-reason.ts')
  const { decide } = await import('../permissions/engine/facts.ts')
  const { createLoadReasons } = await import('../permissions/engine/load-reasons.ts')
  const { createLoadConditions } = await import(
    '../permissions/engine/conditions/load-uncertain.ts'
  )
  const { toResourceId } = await import('../permissions/resource-id.ts')
  const { nameUser } = await import('../permissions/evaluate/subject-table.ts')
  const resource = readResource(name)
  const { serviceName, resourceType, id } = resource
  const resourceId = toResourceId(serviceName, resourceType, id)
  const check = { subject: nameUser(user), serviceName, resourceType, resourceId, action }
  const input = { context }
  const loadReasons = createLoadReasons(statements, createLoadConditions(statements))
  const explanation = await explainAgent(loadReasons, { ...check, input }, delegation)
  if (!explanation) throw new UsageError(`${user} has no delegation ${delegation}`)
  const reasons = findReasons(action, explanation)
  const subject = { type: 'user', id: user }
  return {
    decision: decide(action, explanation.bits),
    reasons: reasons.map(toWireReason),
    text: describeDecision({ subject, action, resource, reasons, explanation }),
  }
}

/**
 * Asks a server to decide and explain, like `explainAccess`. The resource must be registered.
 *
 * @throws ServiceError `not_found` for an unknown resource
 */
async function explainOnServer(
  server: string,
  user: string,
  action: string,
  name: string,
  { context, delegation }: Details,
): Promise<Answer> {
  const { connectToServer } = await import('./remote-admin-api.ts')
  const { resourceNotFound } = await import('../permissions/resource.ts')
  const { serviceName, resourceType, id } = readResource(name)
  const api = await connectToServer(server, process.env)
  const filter = { service_name: serviceName, resource_type: resourceType, external_id: id }
  const page: PermissionPage = await api('listPermissions', filter)
  const [resource] = page.items
  if (!resource) throw resourceNotFound()
  const subject = { subject_type: 'user', subject_id: user }
  const ofAgent = delegation === undefined ? {} : { delegation_id: delegation }
  const request = { permission_id: resource.id, ...subject, action, context, ...ofAgent }
  const explanation: Omit<Answer, 'text'> & { sentence: string } = await api(
    'explainPermission',
    request,
  )
  const { sentence, ...answer } = explanation
  return { ...answer, text: sentence }
}

/** Reads a context that a request could bring. */
export function readContext(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  const context = parseJsonObject(text)
  if (!context) throw new UsageError('--context must be a JSON object')
  const violation = findContextViolation(context)
  if (violation) throw new UsageError(`--context ${violation}`)
  return context
}

/** Splits `docs/document/roadmap` into its parts. The ID may contain slashes. */
function readResource(name: string) {
  const [, serviceName = '', resourceType = '', id = ''] =
    /^([^/]+)\/([^/]+)\/(.+)$/.exec(name) ?? []
  if (!id) throw new UsageError(`${name} is not of the form <service>/<type>/<id>`)
  return { serviceName, resourceType, id }
}
