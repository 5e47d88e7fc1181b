import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the secrets with which the access keys of services are named. A secret outlives the keys of its
 * service, until the last app of the service is deleted. A service that is created again gets another one,
 * so that copies of its keys end.
 */
export class AccessKeySecrets extends Migration {
  override name = '109-access-key-secrets'

  override up(): void {
    this.addSql(`
      create table access_key_secrets (
        service_name text primary key,
        secret bytea not null
      )`)
    this.addSql(`
      create function delete_access_key_secrets() returns trigger language plpgsql as $$
      begin
        delete from access_key_secrets where service_name in (
          select service_name from changed except select service_name from service_apps);
        return null;
      end $$`)
    this.addSql(`create trigger delete_access_key_secrets after delete on service_apps
      referencing old table as changed
      for each statement execute function delete_access_key_secrets()`)
  }
}
