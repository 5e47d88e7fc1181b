import { Client, credentials, Metadata } from '@grpc/grpc-js'

/** An ordinary client of one method, bytes in and bytes out. */
export type Asker = { ask(token: string, body: Buffer): Promise<Buffer>; close(): void }

/** Opens the client. */
export function createAsker(port: number, path: string, serviceKey: string): Asker {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const same = (bytes: Buffer) => bytes
  return {
    ask(token, body) {
      const metadata = new Metadata()
      metadata.set('authorization', `Bearer ${token}`)
      metadata.set('x-service-key', serviceKey)
      return new Promise((resolve, reject) => {
        client.makeUnaryRequest(path, same, same, body, metadata, (error, answer) =>
          answer ? resolve(answer) : reject(error),
        )
      })
    },
    close: () => client.close(),
  }
}
