import { maxSealedEntries, sealActivity } from '../src/activity/seal.ts'
import { repeat } from '../src/core/repeat.ts'
import type { Database } from '../src/database/database.ts'
import type { Application } from '../src/server/application.ts'
import { sealInterval, webhookInterval } from '../src/server/node.ts'
import { createStores } from '../src/server/stores.ts'

/** Starts the jobs of a node through which events reach watches and webhooks. */
export function startFeedJobs({ webhookSender }: Application, database: Database): void {
  const onFailure = (error: unknown) => process.stderr.write(`${error}\n`)
  const seal = async () => (await sealActivity(createStores(database.fork()))) === maxSealedEntries
  const sendDue = async () => {
    await webhookSender.sendDue()
    return false
  }
  repeat(seal, sealInterval, onFailure)
  repeat(webhookSender.dispatch, webhookInterval, onFailure)
  repeat(sendDue, webhookInterval, onFailure)
}
