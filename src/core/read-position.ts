import type { RequestScope } from './request-scope.ts'

/**
 * Returns up to which change a reader must have read to see all that was committed before the call; undefined
 * if that is unknown. Never rejects.
 */
export type ReadPosition = (scope: RequestScope) => Promise<string | undefined>

/** What holds on a server without access keys. */
export const readNoPosition: ReadPosition = async () => undefined
