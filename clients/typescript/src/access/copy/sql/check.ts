import { type KeyType, tableOf } from '../key-types.ts'

/** The keys that rows accept, as texts. $1: ids. */
export const findAccepted = (type: string, keyType: KeyType) => `
  select t.id::text as id, array(
    select k.holder || ' ' || k.level || ' ' || a.maybe
    from (
      select unnest(t.accepts) as key, false as maybe
      union all select unnest(t.maybe), true) a
    join daikon_access.keys k on k.id = a.key) as keys
  from ${tableOf(type)} t where t.id = any($1::${keyType}[])`
