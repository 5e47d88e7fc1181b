import { Migration } from '@mikro-orm/migrations'

/** What `isExternalId` excludes (`core/external-id.ts`). */
const hasOtherForm = String.raw`
  external_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  or external_id ~ '^\s*[A-Za-z0-9.!#$%&''*+/=?^_{|}~\x60-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\s*$'`

/**
 * Warns about external IDs in the form of a UUID or an e-mail address. These forms only ever
 * identify the user with that ID or address, so the external IDs have no effect any more. They are
 * kept, because only an administrator knows what should replace them.
 */
export class ExternalIdForms extends Migration {
  override name = '025-external-id-forms'

  override up(): void {
    this.addSql(`
      do $$
      declare
        total bigint;
        listed text;
      begin
        with affected as (
          select id, count(*) over () as total from users where ${hasOtherForm} order by id limit 100
        )
        select max(affected.total), string_agg(id::text, ', ' order by id) into total, listed
        from affected;
        if total > 0 then
          raise warning '% user(s) have an external_id in the form of a UUID or an e-mail address, which no longer identifies them. Give them another external_id: %',
            total, listed || case when total > 100 then ' and others' else '' end;
        end if;
      end $$`)
  }
}
