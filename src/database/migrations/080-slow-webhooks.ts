import { Migration } from '@mikro-orm/migrations'

/**
 * Marks the webhooks whose last requests took long, so that nodes send to few of them at the same
 * time. Nodes of the previous version ignore it.
 */
export class SlowWebhooks extends Migration {
  override name = '080-slow-webhooks'

  override up(): void {
    this.addSql('alter table webhooks add column is_slow boolean not null default false')
  }
}
