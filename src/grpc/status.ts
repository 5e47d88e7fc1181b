import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { Metadata, type ServiceError } from '@grpc/grpc-js'
import { type Fault, faultKinds } from '../rpc/fault.ts'

/** What trailers may take of a list of problems: many clients stop reading at 8 KiB. */
const mostProblemBytes = 4096

/** A Fault as a gRPC status with `google.rpc.Status` details (error_details.proto, AIP-193). */
export function faultStatus(fault: Fault, requestId: string): Partial<ServiceError> {
  const { grpc: code } = faultKinds[fault.kind]
  const metadata = new Metadata()
  metadata.set('x-request-id', requestId)
  metadata.set('grpc-status-details-bin', Buffer.from(encodeStatus(code, fault)))
  if (fault.retryAfter !== undefined) metadata.set('retry-after', String(fault.retryAfter))
  return { code, details: fault.message, metadata }
}

/** google.rpc.Status: code 1, message 2, details 3. */
function encodeStatus(code: number, fault: Fault): Uint8Array {
  const writer = new BinaryWriter()
  writer.uint32(tag(1, varint)).int32(code)
  writer.uint32(tag(2, bytes)).string(fault.message)
  writeAny(writer, 'ErrorInfo', encodeErrorInfo(fault.reason))
  if (fault.problems.length > 0) writeAny(writer, 'BadRequest', encodeBadRequest(fault))
  if (fault.retryAfter !== undefined)
    writeAny(writer, 'RetryInfo', encodeRetryInfo(fault.retryAfter))
  return writer.finish()
}

/** google.protobuf.Any: type_url 1, value 2. */
function writeAny(writer: BinaryWriter, type: string, value: Uint8Array): void {
  writer.uint32(tag(3, bytes)).fork()
  writer.uint32(tag(1, bytes)).string(`type.googleapis.com/google.rpc.${type}`)
  writer.uint32(tag(2, bytes)).bytes(value)
  writer.join()
}

/** reason 1, domain 2. */
function encodeErrorInfo(reason: string): Uint8Array {
  const writer = new BinaryWriter()
  writer.uint32(tag(1, bytes)).string(reason)
  return writer.uint32(tag(2, bytes)).string('daikon').finish()
}

/** field_violations 1: field 1, description 2. The message tells how many there are in all. */
function encodeBadRequest({ problems }: Fault): Uint8Array {
  const writer = new BinaryWriter()
  let room = mostProblemBytes
  for (const { field, message } of problems) {
    room -= field.length + message.length + 6
    if (room < 0) break
    writer.uint32(tag(1, bytes)).fork()
    writer.uint32(tag(1, bytes)).string(field)
    writer.uint32(tag(2, bytes)).string(message)
    writer.join()
  }
  return writer.finish()
}

/** retry_delay 1: google.protobuf.Duration, seconds 1. */
function encodeRetryInfo(seconds: number): Uint8Array {
  const writer = new BinaryWriter()
  return writer.uint32(tag(1, bytes)).fork().uint32(tag(1, varint)).int64(seconds).join().finish()
}

/** Wire types of the protobuf encoding. */
const varint = 0
const bytes = 2

function tag(field: number, wireType: number): number {
  return (field << 3) | wireType
}
