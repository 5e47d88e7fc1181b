import { Migration } from '@mikro-orm/migrations'

/** Keeps which invitations a mail server has refused permanently, until the person is invited again. */
export class RefusedInvitations extends Migration {
  override name = '081-refused-invitations'

  override up(): void {
    this.addSql(`
      create table refused_invitations (
        user_id uuid not null,
        workspace_id uuid not null,
        status text not null,
        refused_at timestamptz not null,
        primary key (user_id, workspace_id),
        foreign key (user_id, workspace_id) references members (user_id, workspace_id)
          on delete cascade
      )`)
  }
}
