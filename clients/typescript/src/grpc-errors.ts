import { type ServiceError, status } from '@grpc/grpc-js'
import { createError, type DaikonError, type ErrorCode, type Field } from './errors.ts'
import { BadRequest, ErrorInfo, RetryInfo } from './gen/google/rpc/error_details.ts'
import { Status } from './gen/google/rpc/status.ts'
import { createServerError } from './server-errors.ts'

/** Converts an error of grpc-js to a DaikonError. `target` identifies the server in messages. */
export function readGrpcError(error: ServiceError, target: string): DaikonError {
  const { code, metadata } = error
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? []
  if (bytes instanceof Buffer) return readDetails(error, bytes)
  if (code === status.UNAVAILABLE) return connectionError(error, target)
  if (code === status.DEADLINE_EXCEEDED) {
    const isConnecting = /Waiting for LB pick|name resolution/.test(error.details ?? '')
    const hint = isConnecting
      ? ` No connection to ${target} so far: check address, network and firewall.`
      : ' Check the load of daikon and its database, or raise deadlineMs.'
    return createError(
      'deadline_exceeded',
      'DEADLINE_EXCEEDED',
      `daikon did not respond before the deadline.${hint}`,
      { cause: error },
    )
  }
  const name = codeName(code)
  return createError(name, name.toUpperCase(), error.details || error.message, { cause: error })
}

function readDetails(error: ServiceError, bytes: Buffer): DaikonError {
  let reason = codeName(error.code).toUpperCase()
  let fields: Field[] = []
  let retryAfterMs: number | undefined
  for (const { type_url, value } of Status.decode(bytes).details) {
    if (type_url.endsWith('/google.rpc.ErrorInfo')) reason = ErrorInfo.decode(value).reason
    if (type_url.endsWith('/google.rpc.BadRequest'))
      fields = BadRequest.decode(value).field_violations.map(({ field, description }) => {
        return { field, message: description }
      })
    if (type_url.endsWith('/google.rpc.RetryInfo')) {
      const { seconds = 0, nanos = 0 } = RetryInfo.decode(value).retry_delay ?? {}
      retryAfterMs = seconds * 1000 + nanos / 1e6
    }
  }
  const [requestId] = error.metadata.get('x-request-id')
  return createServerError(codeName(error.code), reason, error.details, {
    fields,
    retryAfterMs,
    requestId: requestId === undefined ? undefined : String(requestId),
    cause: error,
  })
}

function connectionError(error: ServiceError, target: string): DaikonError {
  const text = (error.details || error.message)
    .replace(/^No connection established\. Last error: (Error: )?/, '')
    .replace(/\.?\s*Resolution note: [\s\S]*$/, '')
    .replace(/\s+/g, ' ')
  const isCertificate =
    /certificate|self.signed|unable to verify|altname|CERT_|handshake failure|alert/i.test(text)
  const isProtocol = /EPROTO|wrong version number|packet length too long/i.test(text)
  const cause = { cause: error }
  if (isCertificate || isProtocol) {
    const hint = isProtocol
      ? 'The server does not use TLS on this port: check the address, or set tls: false.'
      : 'Set tls.ca to the certificate authority of the server, tls.serverName if its certificate has ' +
        'another name, and tls.cert and tls.key if the server requires client certificates.'
    return createError(
      'unavailable',
      'TLS_FAILED',
      `No TLS connection to ${target}: ${text}. ${hint}`,
      cause,
    )
  }
  const hint =
    'Check the address (the gRPC port is 50051 by default), whether daikon is running, and whether ' +
    'it uses TLS on this port (option tls).'
  return createError(
    'unavailable',
    'UNREACHABLE',
    `No connection to ${target}: ${text}. ${hint}`,
    cause,
  )
}

function codeName(code: number): ErrorCode {
  return (status[code] ?? 'UNKNOWN').toLowerCase() as ErrorCode
}
