/** A table is not as the options say. */
export class TableError extends Error {}
