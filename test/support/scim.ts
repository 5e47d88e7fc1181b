import { randomUUID } from 'node:crypto'
import { checkedSecretPrefix, createCheckedSecret } from '../../src/identity/checked-secrets.ts'
import { hashSecret } from '../../src/identity/secret.ts'
import { sendRawHttp } from './raw-requests.ts'
import type { TestEnvironment } from './test-environment.ts'

export type ScimResponse = {
  status: number
  body: Record<string, any>
  headers: Record<string, string>
}

/** A workspace with a connection, a verified domain and a SCIM token. */
export type Directory = Awaited<ReturnType<typeof createDirectory>>

/** Creates a connection with a verified domain. Returns its ID. */
export async function seedConnection(
  { pool }: Pick<TestEnvironment, 'pool'>,
  workspace: string,
  domain: string,
  mapping: object = {},
): Promise<string> {
  const id = randomUUID()
  await pool.query(
    `insert into connections (id, workspace_id, name, issuer, client_id, client_secret, scopes,
       default_role, is_active, enforced, break_glass, mapping)
     values ($1, $2, 'company', 'https://idp.example.com', 'c', '', '{openid}', 'viewer', true, false,
       false, $3)`,
    [id, workspace, JSON.stringify({ roles: {}, groups: {}, ...mapping })],
  )
  await pool.query(
    `insert into connection_domains (connection_id, workspace_id, domain, token, verified_at)
     values ($1, $2, $3, 't', now())`,
    [id, workspace, domain],
  )
  return id
}

/** Creates a SCIM token without an event. */
export async function seedScimToken(
  { pool }: Pick<TestEnvironment, 'pool'>,
  workspace: string,
): Promise<string> {
  const token = createCheckedSecret('ds_')
  await pool.query(
    `insert into scim_tokens (workspace_id, id, token_hash, token_prefix, created_at)
     values ($1, $2, $3, $4, now())`,
    [workspace, randomUUID(), hashSecret(token), checkedSecretPrefix(token)],
  )
  return token
}

/** Creates a workspace whose owner does not come from its directory. */
export async function createDirectory(environment: TestEnvironment, mapping: object = {}) {
  const { seed, httpPort } = environment
  const workspace = await seed.workspace()
  const owner = await seed.newMember(workspace, 'owner')
  const domain = `${randomUUID()}.example.org`
  const connection = await seedConnection(environment, workspace, domain, mapping)
  const token = await seedScimToken(environment, workspace)
  return { owner, connection, ...createScimClient({ httpPort, workspace, domain, token }) }
}

/** Creates a client of a workspace with a SCIM token and a verified domain. */
export function createScimClient({
  httpPort,
  workspace,
  domain,
  token,
}: {
  httpPort: number
  workspace: string
  domain: string
  token: string
}) {
  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ScimResponse> {
    const response = await sendRawHttp(httpPort, {
      method,
      path: `/scim/v2/${workspace}${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    })
    return { status: response.status, body: response.json, headers: response.headers as never }
  }

  return {
    workspace,
    domain,
    token,
    send,
    address: (name: string) => `${name}@${domain}`,
    /** Provisions a person and returns the resource. */
    async provision(name: string, more: object = {}): Promise<Record<string, any>> {
      const userName = `${name}@${domain}`
      const { status, body } = await send('POST', '/Users', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName,
        ...more,
      })
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body
    },
    patch: (path: string, ...Operations: object[]) =>
      send('PATCH', path, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations,
      }),
  }
}
