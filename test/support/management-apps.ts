import type { createAdmin } from './admin.ts'
import { expectOk } from './outcome.ts'
import type { Transport } from './transports.ts'

type Admin = Awaited<ReturnType<typeof createAdmin>>

/** A management app, and credentials with a token of it. */
export type ManagementApp = {
  id: string
  secret: string
  as: { token: string }
}

/** Creates a management app and obtains a token. */
export async function createManagementApp(
  transport: Transport,
  admin: Admin,
  ...scopes: string[]
): Promise<ManagementApp> {
  const app = expectOk(await admin.call(transport, 'CreateManagementApp', { name: 'CI', scopes }))
  const { id, client_secret: secret } = app
  return { id, secret, as: { token: await issueManagementToken(transport, { id, secret }) } }
}

/** Obtains a token of a management app. */
export async function issueManagementToken(
  transport: Transport,
  { id, secret }: Pick<ManagementApp, 'id' | 'secret'>,
  more: object = {},
): Promise<string> {
  const grant = { grant_type: 'client_credentials', client_id: id, client_secret: secret, ...more }
  return expectOk(await transport.call('IssueToken', grant)).access_token
}
