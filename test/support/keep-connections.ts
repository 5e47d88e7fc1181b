/**
 * Options of the HTTP servers of tests. By default, a server closes connections that are idle for five seconds. In a
 * busy process, it does so while a client, whose timer is as late, sends its next request, which then fails.
 */
export const keepConnections = { keepAliveTimeout: 0 }
