import { Metadata, type StatusObject } from '@grpc/grpc-js'
import { BadRequest, ErrorInfo, RetryInfo } from '../../gen/google/rpc/error_details.ts'
import { Status } from '../../gen/google/rpc/status.ts'
import { errorCodes, type ServiceError } from '../core/errors.ts'

/** What trailers may take of a list of problems: many clients stop reading at 8 KiB. */
const mostProblemBytes = 4096

/** A Fault as a gRPC status with `google.rpc.Status` details (error_details.proto, AIP-193). */
export function toGrpcStatus(fault: ServiceError, requestId: string): Partial<StatusObject> {
  const { reason, violations, retryAfter } = fault
  // grpc-js writes it in percents, which half a character has none of.
  const message = fault.message.toWellFormed()
  const { grpc: code } = errorCodes[fault.code]
  const details = [any('ErrorInfo', ErrorInfo, { reason, domain: 'daikon', metadata: {} })]
  if (violations.length > 0)
    details.push(any('BadRequest', BadRequest, { field_violations: listViolations(fault) }))
  if (retryAfter !== undefined)
    details.push(any('RetryInfo', RetryInfo, { retry_delay: { seconds: retryAfter, nanos: 0 } }))
  const metadata = new Metadata()
  metadata.set('x-request-id', requestId)
  metadata.set(
    'grpc-status-details-bin',
    Buffer.from(Status.encode({ code, message, details }).finish()),
  )
  if (retryAfter !== undefined) metadata.set('retry-after', String(retryAfter))
  return { code, details: message, metadata }
}

type Codec<Detail> = { encode(detail: Detail): { finish(): Uint8Array } }

function any<Detail>(name: string, { encode }: Codec<Detail>, detail: Detail) {
  const value = Buffer.from(encode(detail).finish())
  return { type_url: `type.googleapis.com/google.rpc.${name}`, value }
}

/** As many problems as there is room for; the message tells how many there are in all. */
function listViolations({ violations }: ServiceError): BadRequest['field_violations'] {
  let room = mostProblemBytes
  return violations
    .filter(({ field, message }) => {
      room -= field.length + message.length + 6
      return room >= 0
    })
    .map(({ field, message: description }) => ({ field, description }))
}
