import type {
  DeleteMeRequest,
  DeleteMeResponse,
  ExportMeRequest,
  ExportMeResponse,
} from '../../gen/daikon/v1/users.ts'
import { type DeletionContext, deleteUser } from '../admin/delete-user.ts'
import { type ExportStores, exportUser } from '../admin/export-user.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'

/** Exports all data about the user. */
export async function exportMe(
  context: RequestContext<ExportStores>,
  _request: ExportMeRequest,
): Promise<ExportMeResponse> {
  const { id: user_id } = requireUser(context.principal)
  // A Struct contains JSON alone.
  return { export: JSON.parse(JSON.stringify(await exportUser(context, { user_id }))) }
}

/** Deletes the user, and tells their address. */
export async function deleteMe(
  context: DeletionContext & { identity: Pick<IdentityDependencies, 'sendMail' | 'settings'> },
  { transfer_to }: DeleteMeRequest,
): Promise<DeleteMeResponse> {
  const { stores, principal, identity } = context
  const { id: user_id } = requireUser(principal)
  const { email } = await stores.users.requireProfile(user_id)
  await deleteUser(context, { user_id, transfer_to })
  const { host } = new URL(identity.settings.BASE_URL)
  const sentence = `Your account at ${host} was deleted, as you asked on your account page.`
  identity.sendMail({
    to: email,
    subject: `Your account at ${host} was deleted`,
    text: `${sentence}\n`,
    html: `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Account deleted</title>\n<p>${sentence}</p>\n</html>\n`,
  })
  return {}
}
