import { Migration } from '@mikro-orm/migrations'

const uuidPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/** A UUID of version 7, so that the entries of the activity log remain in order. */
const timeOrderedId = `(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
  || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid`

/**
 * Renames workspaces whose slug could be taken for the ID of another one, and stores who invited a
 * member, which client apps may omit PKCE, and the scope of a narrowed access token.
 */
export class SignInRules extends Migration {
  override name = '026-sign-in-rules'

  override up(): void {
    this.addSql(`
      do $$
      declare
        workspace record;
        renamed text;
        attempt int;
      begin
        for workspace in
          select id, slug from workspaces where slug ~* '${uuidPattern}' order by slug
        loop
          attempt := 1;
          renamed := 'workspace-' || workspace.slug;
          while exists (select from workspaces where slug = renamed) loop
            attempt := attempt + 1;
            renamed := 'workspace-' || workspace.slug || '-' || attempt;
          end loop;
          update workspaces set slug = renamed where id = workspace.id;
          insert into activity (id, action, target_type, target_id, workspace_id, detail)
          values (${timeOrderedId}, 'workspace.slug_changed', 'workspace', workspace.id, workspace.id,
            jsonb_build_object('from', workspace.slug, 'to', renamed));
        end loop;
      end $$`)
    this.addSql(`alter table workspaces
      add constraint workspaces_slug_not_uuid check (slug !~* '${uuidPattern}')`)

    this.addSql(
      'alter table members add column invited_by uuid references users on delete set null',
    )
    this.addSql('create index on members (invited_by) where invited_by is not null')
    this.addSql(`
      update members m set invited_by = i.actor_id
      from (
        select distinct on (target_id, workspace_id) target_id, workspace_id, actor_id
        from activity where action = 'member.invited' order by target_id, workspace_id, id desc
      ) i
      where m.joined_at is null and m.user_id = i.target_id and m.workspace_id = i.workspace_id
        and exists (select from users u where u.id = i.actor_id)`)

    this.addSql(`alter table client_apps
      add column pkce_required boolean not null default true,
      add constraint client_apps_pkce_check check (pkce_required or type = 'confidential')`)
    this.addSql('alter table authorization_codes alter column code_challenge drop not null')
    // Null if the access token has the scope of its session.
    this.addSql('alter table refresh_tokens add column access_scope text')
  }
}
