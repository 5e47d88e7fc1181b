import { randomUUID } from 'node:crypto'
import { Metadata, type StatusObject } from '@grpc/grpc-js'
import { BadRequest, ErrorInfo, RetryInfo } from '../../gen/google/rpc/error_details.ts'
import { Status } from '../../gen/google/rpc/status.ts'
import { errorCodes } from '../core/error-codes.ts'
import type { ServiceError } from '../core/errors.ts'
import { toChallenge } from '../rpc/problem.ts'

/** The maximum size of field violations. Many clients accept at most 8 KiB of trailers. */
const maxViolationBytes = 4096

/** Converts an error to a gRPC status with `google.rpc.Status` details (AIP-193). */
export function toGrpcStatus(error: ServiceError, requestId: string): Partial<StatusObject> {
  const { reason, violations, retryAfter } = error
  // grpc-js percent-encodes the message, which throws on a lone surrogate.
  const message = error.message.toWellFormed()
  const { grpc: code } = errorCodes[error.code]
  const info = Object.entries(error.extensions).map(([name, value]) => [
    name,
    JSON.stringify(value),
  ])
  const details = [
    packAny('ErrorInfo', ErrorInfo, {
      reason,
      domain: 'daikon',
      metadata: Object.fromEntries(info),
    }),
  ]
  if (violations.length > 0) {
    details.push(packAny('BadRequest', BadRequest, { field_violations: listViolations(error) }))
  }
  const metadata = new Metadata()
  if (retryAfter !== undefined) {
    const delay = { retry_delay: { seconds: retryAfter, nanos: 0 } }
    details.push(packAny('RetryInfo', RetryInfo, delay))
    metadata.set('retry-after', String(retryAfter))
  }
  if (error.maxSignInAge !== undefined) metadata.set('www-authenticate', toChallenge(error))
  metadata.set('x-request-id', requestId)
  metadata.set(
    'grpc-status-details-bin',
    Buffer.from(Status.encode({ code, message, details }).finish()),
  )
  return { code, details: message, metadata }
}

/** Returns the headers of a response that is only an error (gRPC over HTTP/2, Trailers-Only). */
export function toTrailersOnly(error: ServiceError): Record<string, string | number | string[]> {
  const { code, details = '', metadata } = toGrpcStatus(error, randomUUID())
  const trailers = metadata?.toHttp2Headers() as Record<string, string[]>
  return {
    ':status': 200,
    'content-type': 'application/grpc+proto',
    'grpc-status': Number(code),
    'grpc-message': encodeURIComponent(details),
    ...trailers,
  }
}

type Codec<Detail> = { encode(detail: Detail): { finish(): Uint8Array } }

/** Packs a detail into a `google.protobuf.Any`. */
function packAny<Detail>(name: string, { encode }: Codec<Detail>, detail: Detail) {
  const value = Buffer.from(encode(detail).finish())
  return { type_url: `type.googleapis.com/google.rpc.${name}`, value }
}

/** Returns as many violations as fit. The error message always lists the first ten. */
function listViolations({ violations }: ServiceError): BadRequest['field_violations'] {
  const encodingOverhead = 6
  let remaining = maxViolationBytes
  const listed = violations.filter(({ field, message }) => {
    remaining -= field.length + message.length + encodingOverhead
    return remaining >= 0
  })
  return listed.map(({ field, message }) => ({
    field,
    description: message,
    reason: '',
    localized_message: undefined,
  }))
}
