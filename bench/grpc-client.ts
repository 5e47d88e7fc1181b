import { Client, type ClientReadableStream, credentials, Metadata } from '@grpc/grpc-js'
import { serviceKey } from './data-set.ts'

/** A grpc-js client that sends and receives encoded messages. */
export type BenchClient = {
  call(path: string, token: string | undefined, body: Uint8Array): Promise<Buffer>
  /** Opens a server stream. */
  readStream(
    path: string,
    token: string | undefined,
    body: Uint8Array,
  ): ClientReadableStream<Buffer>
  close(): void
}

export function createBenchClient(port: number): BenchClient {
  // By default, all clients of a process share one connection and its limit of streams.
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  })
  const same = (bytes: Buffer) => bytes
  const metadata = (token: string | undefined) => {
    const metadata = new Metadata()
    if (token) metadata.set('authorization', `Bearer ${token}`)
    metadata.set('x-service-key', serviceKey)
    return metadata
  }
  return {
    call: (path, token, body) =>
      new Promise((resolve, reject) => {
        const bytes = Buffer.from(body)
        client.makeUnaryRequest(path, same, same, bytes, metadata(token), (error, response) =>
          response ? resolve(response) : reject(error),
        )
      }),
    readStream: (path, token, body) =>
      client.makeServerStreamRequest(path, same, same, Buffer.from(body), metadata(token)),
    close: () => client.close(),
  }
}
