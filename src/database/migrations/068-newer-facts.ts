import { Migration } from '@mikro-orm/migrations'

/**
 * Lists the facts in the database that a node without a migration would decide wrongly, one row for
 * each kind of fact that exists. A later migration that adds such facts replaces the view, so that
 * nodes that do not know the migration learn from the view that they must not start
 * (`newer-facts.ts`).
 */
export class NewerFacts extends Migration {
  override name = '068-newer-facts'

  override up(): void {
    const facts: [migration: number, fact: string, rows: string][] = [
      [31, 'shares with a role', `shares where ${hasRole}`],
      [31, 'links with a role', `resource_links where ${hasRole}`],
      [32, 'memberships that end', 'members where expires_at is not null'],
      [34, 'public resources', "resources where visibility = 'public'"],
      [36, 'requirements of actions', 'resource_requirements'],
      [37, 'shares with a condition', 'shares where condition is not null'],
      [40, 'service accounts', 'users where workspace_id is not null'],
      [55, 'links with a condition', 'resource_links where condition is not null'],
    ]
    const rows = facts.map(
      ([migration, fact, rows]) =>
        `select ${migration} as migration, '${fact}' as fact where exists (select from ${rows})`,
    )
    this.addSql(`create view newer_facts as ${rows.join(' union all ')}`)
  }
}

/** The condition of the indexes on roles, with which those that have a condition begin, too. */
const hasRole = "permission not in ('view', 'edit') and not starts_with(permission, '?')"
