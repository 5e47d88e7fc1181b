/** Milliseconds until a connection, and until an answer on it, counts as not to be had. */
export const timeouts = { connectionTimeoutMillis: 3000, query_timeout: 10_000 }
