import { Client, type ClientReadableStream, credentials, Metadata } from '@grpc/grpc-js'
import { serviceKey } from './data-set.ts'

/** An ordinary client, bytes in and bytes out. */
export type Asker = {
  ask(path: string, token: string, body: Uint8Array): Promise<Buffer>
  /** Opens a stream of answers. */
  read(path: string, token: string, body: Uint8Array): ClientReadableStream<Buffer>
  close(): void
}

/** Opens the client. */
export function createAsker(port: number): Asker {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const same = (bytes: Buffer) => bytes
  const metadata = (token: string) => {
    const metadata = new Metadata()
    metadata.set('authorization', `Bearer ${token}`)
    metadata.set('x-service-key', serviceKey)
    return metadata
  }
  return {
    ask: (path, token, body) =>
      new Promise((resolve, reject) => {
        const bytes = Buffer.from(body)
        client.makeUnaryRequest(path, same, same, bytes, metadata(token), (error, answer) =>
          answer ? resolve(answer) : reject(error),
        )
      }),
    read: (path, token, body) =>
      client.makeServerStreamRequest(path, same, same, Buffer.from(body), metadata(token)),
    close: () => client.close(),
  }
}
