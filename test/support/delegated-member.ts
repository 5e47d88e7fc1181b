import { randomUUID } from 'node:crypto'
import { type DelegationRow, insertDelegation } from './delegation-rows.ts'
import { expectOk } from './outcome.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'
import type { Member, WorkspaceFixture } from './workspace-fixture.ts'

const types = 'urn:daikon:params:oauth:token-type'

/** A person for whom a service account acts: `token` is the token of the delegation. */
export type DelegatedMember = Member & {
  delegationId: string
  agent: { type: 'service_account'; id: string; key: string }
}

/** Creates a service account and a delegation to it, and exchanges the delegation for a token. */
export async function createDelegatedMember(
  { pool, httpPort }: Pick<TestEnvironment, 'pool' | 'httpPort'>,
  transport: Transport,
  { workspace, service, people }: Pick<WorkspaceFixture, 'workspace' | 'service' | 'people'>,
  person: Member,
  terms: Partial<DelegationRow> = {},
): Promise<DelegatedMember> {
  const call = async (method: string, message: object) =>
    expectOk(await transport.call(method, message, { token: people.owner.token }))
  const name = `bot-${randomUUID()}`
  const account = { workspace_id: workspace, name, role: 'viewer' }
  const { id } = await call('CreateServiceAccount', account)
  const keyRequest = { workspace_id: workspace, service_account_id: id, name: 'agent' }
  const { key } = await call('CreateKey', keyRequest)
  const delegationId = await insertDelegation(pool, {
    user_id: person.id,
    workspace_id: workspace,
    service_name: service,
    agent_id: id,
    ...terms,
  })
  const response = await fetch(`http://127.0.0.1:${httpPort}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: delegationId,
      subject_token_type: `${types}:delegation`,
      actor_token: key,
      actor_token_type: `${types}:api_key`,
    }),
  })
  const answer: any = await response.json()
  if (response.status !== 200) throw new Error(JSON.stringify(answer))
  return {
    ...person,
    token: answer.access_token,
    delegationId,
    agent: { type: 'service_account', id, key },
  }
}
