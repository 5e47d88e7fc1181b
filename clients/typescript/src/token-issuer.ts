type ReadIssuer = () => Promise<string>

const issuers = new WeakMap<object, ReadIssuer>()

/** Makes the issuer of a client's tokens known to its guards. */
export function provideIssuer<Client extends object>(client: Client, read: ReadIssuer): Client {
  issuers.set(client, read)
  return client
}

/** Returns the issuer of a client's tokens. */
export async function readIssuer(client: object): Promise<string> {
  const read = issuers.get(client)
  if (!read) throw new Error('protectedResource() needs a client of this package')
  return read()
}
