/** Whether a client is one that nobody registered: its ID is the URL of a document about it. */
export function isClientUrl(clientId: string): boolean {
  return clientId.startsWith('https://')
}
