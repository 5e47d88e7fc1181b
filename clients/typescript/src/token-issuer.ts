type ReadIssuer = () => Promise<string>

/** The member of a client that its guards need, and no application. */
const issuer = Symbol('issuer')

/** Makes the issuer of a client's tokens known to its guards. */
export function provideIssuer<Client extends object>(client: Client, read: ReadIssuer): Client {
  return { ...client, [issuer]: read }
}

/** Returns the issuer of a client's tokens. */
export async function readIssuer(client: object): Promise<string> {
  const { [issuer]: read } = client as { [issuer]?: ReadIssuer }
  if (!read) throw new Error('protectedResource() needs a client of this package')
  return read()
}
