/** Lists of a service's own database, joined with what a subject may see. */

export type { ColumnNames } from './access/copy/column-names.ts'
export type { DatabaseClient, DatabasePool } from './access/copy/database.ts'
export type { FollowProgress } from './access/copy/follow-once.ts'
export type { KeyType, KeyTypes } from './access/copy/key-types.ts'
export { TableError } from './access/copy/table-error.ts'
export type { SkippedResource } from './access/copy/write-batch.ts'
export {
  type Access,
  type AccessOptions,
  type CopyRow,
  createAccess,
  type FollowOptions,
  HistoryChangedError,
  type VisibleOptions,
} from './access/create-access.ts'
export type { ListQuery, PageFragments, Shape, Visible } from './access/visible.ts'
