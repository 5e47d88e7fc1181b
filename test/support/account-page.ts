import { randomUUID } from 'node:crypto'
import { accountClientId } from '../../src/identity/store/client-store.ts'
import type { TestEnvironment } from './test-environment.ts'

/**
 * Returns an access token of the account page, without a session. `age` is how long ago the user signed
 * in, in seconds.
 */
export function signAccountToken(
  { app, clock }: Pick<TestEnvironment, 'app' | 'clock'>,
  userId: string,
  workspaceId: string,
  age = 0,
): Promise<string> {
  const auth_time = Math.floor((clock.now ?? new Date()).getTime() / 1000) - age
  const workspace = { wid: workspaceId, wslug: 'w', wrole: 'viewer' as const }
  const person = { sub: userId, jti: randomUUID(), email: 'someone@example.com', name: '' }
  const claims = { ...person, ...workspace, client_id: accountClientId, scope: '', auth_time }
  return app.tokens.sign('access', claims, 900)
}
