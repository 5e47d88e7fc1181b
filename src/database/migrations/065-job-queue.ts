import { Migration } from '@mikro-orm/migrations'
import { getConstructionPlans } from 'pg-boss'

/**
 * Creates the schema of pg-boss, which holds the jobs that any node may run, and the queue of
 * webhooks: at most one job that waits and one that runs for each key. A job whose node was killed
 * runs again after two minutes.
 */
export class JobQueue extends Migration {
  override name = '065-job-queue'

  override up(): void {
    // The plans begin and end a transaction, but migrations have their own.
    const plans = getConstructionPlans('pgboss').replace(/^\s*(BEGIN|COMMIT);\s*$/gm, '')
    this.addSql(plans)
    this.addSql(
      `select pgboss.create_queue('webhooks', '${JSON.stringify({
        policy: 'stately',
        expireInSeconds: 120,
        retryLimit: 3,
        retryDelay: 5,
        deleteAfterSeconds: 60,
      })}')`,
    )
  }
}
