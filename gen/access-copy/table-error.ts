// Copied from clients/typescript/src/access/copy/table-error.ts. DO NOT EDIT.

/** A table is not as the options say. */
export class TableError extends Error {}
