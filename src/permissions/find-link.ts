/** Returns the ID of the link with a token, unless it is unknown, expired or revoked. */
export type FindLink = (token: string) => Promise<string | undefined>

/** What holds on a server without links. */
export const findNoLink: FindLink = async () => undefined
