/** The id before which no other comes. */
export const firstId = '00000000-0000-0000-0000-000000000000'

/** Returns the page token for an id, which need not exist any more when the token is used. */
export function writePageToken(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

/** Returns the id of a page token as hexadecimal digits; without a token, the first id. */
export function readPageToken(token: string | undefined): string {
  return token ? Buffer.from(token, 'base64url').toString('hex') : firstId
}
