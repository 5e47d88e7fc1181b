import { Migration } from '@mikro-orm/migrations'

/**
 * Binds client apps to a workspace, and stores the client app of a sign-in that began at
 * `/auth/login`. Nodes of the previous version ignore both, so an app is restricted to its
 * workspace once all nodes run the new version.
 */
export class BoundClientApps extends Migration {
  override name = '028-bound-client-apps'

  override up(): void {
    // Without a foreign key: an app remains bound to a workspace that has been deleted.
    this.addSql('alter table client_apps add column workspace_id uuid')
    for (const table of ['authorization_codes', 'refresh_families']) {
      this.addSql(`alter table ${table}
        add column login_client_id uuid references client_apps on delete cascade`)
      this.addSql(`create index on ${table} (login_client_id)`)
    }
    this.addSql(`alter table browser_sessions
      add column lacks_personal_workspace boolean not null default false`)
  }
}
