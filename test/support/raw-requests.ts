import { request } from 'node:http'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { readStatusDetails } from './status-details.ts'

/** An HTTP request that is sent without normalization. */
export type RawRequest = {
  method?: string
  path?: string
  /** A list of alternating names and values can contain repeated headers. */
  headers?: Record<string, string> | string[]
  body?: string | Buffer
}

/** An HTTP response. `json` is undefined if the body is not JSON. */
export type RawResponse = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  text: string
  json: any
}

/** Sends a request that fetch would reject or normalize. */
export function sendRawHttp(port: number, { method, path, headers, body }: RawRequest) {
  return new Promise<RawResponse>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, agent: false } as const
    const sent = request(
      { ...options, method: method ?? 'GET', path: path ?? '/', headers: headers ?? {} },
      async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        const body = Buffer.concat(chunks)
        const text = body.toString()
        const { statusCode: status = 0, headers } = response
        const isJson = /json/.test(headers['content-type'] ?? '') && text !== ''
        resolve({ status, headers, body, text, json: isJson ? JSON.parse(text) : undefined })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The result of a raw gRPC call. Code 0 is OK. */
export type RawGrpcStatus = ReturnType<typeof readStatusDetails> & {
  code: number
  detail: string
  /** The size of the trailers that counts towards the limit of a client. */
  trailerBytes: number
}

/** Sends bytes, valid or not, as the request message of a gRPC method. */
export function sendRawGrpc(
  port: number,
  path: string,
  bytes: Buffer,
  presented: Metadata | Record<string, string> = {},
): Promise<RawGrpcStatus> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.max_send_message_length': -1,
    // Uses a separate connection, so that resetting it does not affect other calls.
    'grpc.use_local_subchannel_pool': 1,
  })
  const metadata = presented instanceof Metadata ? presented : new Metadata()
  if (metadata !== presented)
    for (const [name, value] of Object.entries(presented)) metadata.set(name, value)
  const identity = (value: Buffer) => value
  return new Promise<RawGrpcStatus>((resolve) => {
    client.makeUnaryRequest(
      path,
      identity,
      identity,
      bytes,
      metadata,
      (error: ServiceError | null) => {
        const trailers = error?.metadata ?? new Metadata()
        const headers = Object.entries(trailers.toHttp2Headers())
        const trailerBytes = headers.reduce(
          (sum, [name, value]) => sum + name.length + String(value).length + 32,
          encodeURIComponent(error?.details ?? '').length,
        )
        const { code = 0, details: detail = '' } = error ?? {}
        resolve({ ...readStatusDetails(trailers), code, detail, trailerBytes })
      },
    )
  }).finally(() => client.close())
}
