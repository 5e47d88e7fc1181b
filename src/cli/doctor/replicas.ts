import { expect } from '../../core/deployment-checks.ts'
import { describeError } from '../../core/describe-error.ts'
import type { Config } from '../../server/config.ts'
import type { Check } from './check.ts'

/** In milliseconds. */
const connectionTimeout = 3000

/** A check for each server of REPLICA_URLS. */
export function replicaChecks({ REPLICA_URLS: urls }: Config): Record<string, Check> {
  const checks = urls.map((url): [string, Check] => [
    `standby ${new URL(url).host}`,
    async () => {
      const isStandby = await readRecovery(url)
      const advice =
        'accepts writes: it is not a standby of DATABASE_URL, so no node reads from it; correct REPLICA_URLS'
      return expect(isStandby, 'replays the primary', advice)
    },
  ])
  return Object.fromEntries(checks)
}

async function readRecovery(url: string): Promise<boolean> {
  const { Client } = (await import('pg')).default
  const { DeploymentStore } = await import('../store/deployment-store.ts')
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectionTimeout,
    query_timeout: connectionTimeout,
  })
  try {
    await client.connect()
    return await new DeploymentStore(client).isStandby()
  } catch (error) {
    throw new Error(
      `does not answer (${describeError(error).message}): start it, or correct REPLICA_URLS; nodes read from the other servers`,
    )
  } finally {
    await client.end().catch(() => {})
  }
}
