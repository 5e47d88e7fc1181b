import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { grpcServices } from '../../src/server/grpc-services.ts'

export type Credentials = { token?: string; key?: string; admin?: string }

export type Outcome<Response> = { ok: true; message: Response } | { ok: false; code: string }

/** Calls a method of a node, chosen at random. */
export type Call = <Response>(
  service: keyof typeof grpcServices,
  method: string,
  message: object,
  credentials: Credentials,
) => Promise<Outcome<Response>>

/** Milliseconds after which the outcome of a call is unknown. */
const deadline = 5000

type Method = {
  path: string
  requestSerialize: (value: object) => Buffer
  responseDeserialize: (bytes: Buffer) => object
}

/** Connects to the gRPC ports of the nodes. */
export function connectToNodes(ports: number[]): { call: Call; close(): void } {
  const clients = ports.map((port) => new Client(`127.0.0.1:${port}`, credentials.createInsecure()))
  const metadata = new WeakMap<Credentials, Metadata>()

  function metadataOf(credentials: Credentials): Metadata {
    const known = metadata.get(credentials)
    if (known) return known
    const created = createMetadata(credentials)
    metadata.set(credentials, created)
    return created
  }

  return {
    call<Response>(
      service: keyof typeof grpcServices,
      name: string,
      message: object,
      credentials: Credentials,
    ): Promise<Outcome<Response>> {
      const methods = grpcServices[service] as unknown as Record<string, Method>
      const { path, requestSerialize, responseDeserialize } = methods[name] as Method
      const client = clients[Math.floor(Math.random() * clients.length)] as Client
      return new Promise((resolve) => {
        const onResponse = (error: ServiceError | null, response?: object) =>
          resolve(
            error
              ? { ok: false, code: status[error.code] }
              : { ok: true, message: response as Response },
          )
        client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          message,
          metadataOf(credentials),
          { deadline: Date.now() + deadline },
          onResponse,
        )
      })
    },
    close() {
      for (const client of clients) client.close()
    },
  }
}

function createMetadata({ token, key, admin }: Credentials): Metadata {
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  if (key !== undefined) metadata.set('x-service-key', key)
  if (admin !== undefined) metadata.set('cookie', `admin_token=${admin}`)
  return metadata
}
