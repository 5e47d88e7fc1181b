import { randomUUID } from 'node:crypto'
import type { Mail } from '../../src/outbound/mail-client.ts'
import { signAccountToken } from './account-page.ts'
import { expectOk } from './outcome.ts'
import { seedServiceAccount } from './request-fixture.ts'
import { type NodeOptions, startTestEnvironment, type TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'
import { createWorkspaceFixture, type Member } from './workspace-fixture.ts'

/** Starts an environment whose mails are collected instead of sent. */
export async function createDelegationEnvironment(options: NodeOptions = {}) {
  const mails: Mail[] = []
  const dependencies = { sendMail: async (mail: Mail) => void mails.push(mail) }
  return { ...(await startTestEnvironment(options, undefined, dependencies)), mails }
}

/** Returns an access token of the account page, of a session that the user began now. */
export async function createAccountToken(
  environment: Pick<TestEnvironment, 'app' | 'clock' | 'pool'>,
  userId: string,
  workspaceId: string,
  { provider = 'google', age = 0 }: { provider?: string; age?: number } = {},
): Promise<string> {
  const jti = randomUUID()
  await environment.pool.query(
    `with family as (
       insert into refresh_families
         (id, user_id, workspace_id, provider, created_at, last_used_at, expires_at)
       values ($1, $2, $3, $4, now(), now(), now() + interval '1 day')
     )
     insert into refresh_tokens (token_id, family_id, access_token_id, access_expires_at)
     values (gen_random_uuid(), $1, $5, now() + interval '1 day')`,
    [randomUUID(), userId, workspaceId, provider, jti],
  )
  return signAccountToken(environment, userId, workspaceId, age, jti)
}

/** Returns the time this many seconds from now. */
export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString()
}

/** Creates a workspace with an agent, in which `person` delegates. */
export async function createDelegationScene(
  environment: Pick<TestEnvironment, 'app' | 'clock' | 'pool' | 'seed' | 'token'>,
  transport: Transport,
) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, people } = fixture
  const agent = { type: 'service_account', id: await seedServiceAccount(environment, workspace) }
  const person = people.editor
  const tokens = new Map<string, Promise<string>>()
  const tokenOf = ({ id }: Pick<Member, 'id'>) => {
    const token = tokens.get(id) ?? createAccountToken(environment, id, workspace)
    tokens.set(id, token)
    return token
  }
  const terms = (more: object = {}) => ({
    agent,
    service_name: service,
    actions: { values: ['view'] },
    reason: 'Write the weekly report',
    expires_at: inSeconds(3600),
    ...more,
  })
  const create = async (more: object = {}, by: Pick<Member, 'id'> = person) =>
    transport.call('CreateDelegation', terms(more), { token: await tokenOf(by) })
  const call = async (method: string, message: object = {}, by: Member = person) =>
    transport.call(method, message, { token: by.token })
  return {
    ...fixture,
    agent,
    person,
    terms,
    tokenOf,
    /** The sessions of the tokens have ended. */
    forgetTokens: () => tokens.clear(),
    create,
    call,
    /** Creates a delegation and returns it. */
    delegate: async (more: object = {}, by: Pick<Member, 'id'> = person) =>
      expectOk(await create(more, by)),
    /** Returns the IDs of the person's delegations. */
    list: async (by: Member = person): Promise<string[]> => {
      const listed = expectOk(await call('ListMyDelegations', {}, by))
      return listed.delegations.map(({ id }: { id: string }) => id)
    },
  }
}
