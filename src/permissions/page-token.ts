/** The lowest possible ID. */
export const firstId = '00000000-0000-0000-0000-000000000000'

/** Returns the page token for an ID. The token remains valid if the resource is deleted. */
export function writePageToken(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

/** Returns the ID in a page token as hexadecimal digits or, without a token, the first ID. */
export function readPageToken(token: string | undefined): string {
  return token ? Buffer.from(token, 'base64url').toString('hex') : firstId
}

/** Returns whether a text is a page token: the 16 bytes of an ID. */
export function isPageToken(text: string): boolean {
  return Buffer.from(text, 'base64url').length === 16
}
