import { Migration } from '@mikro-orm/migrations'

/** Locks a resource to enforce the quota of its shares only if the quota is almost reached. */
export class ShareQuotaLock extends Migration {
  override name = '023-share-quota-lock'

  override up(): void {
    // Uncommitted shares are not counted, so transactions near the quota run one after the other.
    // Further below it, a share that waits for its grantee must not delay other shares of the
    // resource. Nodes of the previous version still call lock_shares.
    this.addSql(`
      create function count_shares_for_quota(
        kind int, resource uuid, grantees uuid[], quota bigint, out count bigint, out known uuid[])
      language plpgsql volatile as $$
      begin
        for attempt in 1..2 loop
          select count(*), coalesce(array_agg(grantee) filter (where grantee = any(grantees)), '{}')
            into count_shares_for_quota.count, count_shares_for_quota.known
            from (
              select coalesce(user_id, group_id) as grantee from shares
              where kind_id = kind and resource_id = resource
            ) share;
          exit when attempt = 2
            or count_shares_for_quota.count + cardinality(grantees) + 500 <= quota;
          perform from resources where kind_id = kind and resource_id = resource for no key update;
        end loop;
      end $$`)
  }
}
