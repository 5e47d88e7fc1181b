import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the links of invitations, and the invitations that wait to be sent by e-mail. Nodes of the
 * previous version ignore both.
 */
export class InvitationLinks extends Migration {
  override name = '067-invitation-links'

  override up(): void {
    // A link that has ended remains for a day, because e-mails to a person are counted by it. It
    // refers to no membership, so that removing a person and inviting them again resets no count.
    this.addSql(`
      create table invitation_links (
        token_hash text primary key,
        user_id uuid not null references users on delete cascade,
        workspace_id uuid not null,
        created_at timestamptz not null,
        expires_at timestamptz not null
      )`)
    this.addSql('create index on invitation_links (user_id, created_at)')
    this.addSql('create index on invitation_links (expires_at)')
    this.addSql(`
      create table invitation_mails (
        user_id uuid not null,
        workspace_id uuid not null,
        attempts integer not null default 0,
        next_attempt_at timestamptz not null,
        expires_at timestamptz not null,
        primary key (user_id, workspace_id),
        foreign key (user_id, workspace_id) references members (user_id, workspace_id)
          on delete cascade
      )`)
    this.addSql('create index on invitation_mails (workspace_id, next_attempt_at)')
    this.addSql('create index on invitation_mails (expires_at)')
  }
}
