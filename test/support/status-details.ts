import type { Metadata } from '@grpc/grpc-js'
import protobuf from 'protobufjs'
import type { FieldViolation } from '../../src/core/errors.ts'

/** The google.rpc messages, decoded with a different library from the one that encodes them. */
const { root } = protobuf.parse(
  `
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; }
  message BadRequest {
    message FieldViolation { string field = 1; string description = 2; }
    repeated FieldViolation field_violations = 1;
  }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
`,
  { keepCase: true },
)

/** Decodes `grpc-status-details-bin`. */
export function readStatusDetails(metadata: Metadata): {
  reason: string
  violations: FieldViolation[]
  retryAfter: number | undefined
} {
  const [bytes] = metadata.get('grpc-status-details-bin')
  const read = {
    reason: '',
    violations: [] as FieldViolation[],
    retryAfter: undefined as number | undefined,
  }
  if (!Buffer.isBuffer(bytes)) return read
  const status = decode('Status', bytes) as { details: { type_url: string; value: Buffer }[] }
  for (const { type_url, value } of status.details) {
    const type = type_url.replace('type.googleapis.com/google.rpc.', '')
    const detail = decode(type, value)
    if (type === 'ErrorInfo') read.reason = detail.domain === 'daikon' ? detail.reason : ''
    if (type === 'RetryInfo') read.retryAfter = Number(detail.retry_delay.seconds)
    if (type === 'BadRequest')
      read.violations = detail.field_violations.map(
        ({ field, description }: { field: string; description: string }) => ({
          field,
          message: description,
        }),
      )
  }
  return read
}

function decode(type: string, bytes: Buffer): Record<string, any> {
  return root.lookupType(`google.rpc.${type}`).decode(bytes)
}
