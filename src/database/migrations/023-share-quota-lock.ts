import { Migration } from '@mikro-orm/migrations'

/** Locks a resource for the quota of its shares only near the quota. */
export class ShareQuotaLock extends Migration {
  override name = '023-share-quota-lock'

  override up(): void {
    // Shares in progress are not counted, so those near the quota run one after the other. Elsewhere, a
    // share that waits for its grantee must not delay the other shares of the resource. Nodes of the
    // previous version call lock_shares.
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
