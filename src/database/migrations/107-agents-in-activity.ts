import { Migration } from '@mikro-orm/migrations'

/**
 * Adds to the activity log the agent that acted for the actor, and its delegation. Nodes of the previous
 * version leave the columns null.
 */
export class AgentsInActivity extends Migration {
  override name = '107-agents-in-activity'

  override up(): void {
    this.addSql(`
      alter table activity
        add column agent_type text,
        add column agent_id uuid,
        add column delegation_id uuid`)
    this.addSql('create index on activity (agent_id, id) where agent_id is not null')
  }
}
