import { sessionPrefix } from './schema-version.ts'

/**
 * Ends the sessions of nodes of the first release if this transaction has changed the columns of a
 * table. The prepared statements of these nodes return all columns, so each call would otherwise fail
 * with 500 until a restart. They report a lost session as a temporary failure, and reconnect once the
 * transaction has released its lock on the table.
 *
 * These nodes do not report their version. The age of rows that this transaction has written is 0, or
 * negative if a savepoint wrote them.
 */
export const endOutdatedSessionsSql = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = session_user and backend_type = 'client backend'
    and pid <> pg_backend_pid() and not starts_with(application_name, '${sessionPrefix}')
    and application_name !~ '^(psql|pg)'
    and exists (
      select from pg_attribute a join pg_class c on c.oid = a.attrelid
      where age(a.xmin) <= 0 and a.attnum > 0 and c.relkind = 'r'
        and c.relnamespace = 'public'::regnamespace
    )`
