/**
 * Returns a function that notes in memory when a key was last used. About once a minute, `sql` writes
 * the uses: $1 keys, $2 times. `name` is the name of the statement.
 */
export type CollectUses = (name: string, sql: string) => (key: string, at: Date) => void
