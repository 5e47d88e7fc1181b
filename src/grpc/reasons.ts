import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of the gRPC transport. */
export const reasons = defineReasons({
  // UNIMPLEMENTED (gRPC compression specification), which is the gRPC status of this code.
  COMPRESSION_UNSUPPORTED: {
    code: 'method_not_allowed',
    name: 'ENCODING_UNSUPPORTED',
    message: 'Compressed messages are not supported; send grpc-encoding: identity',
  },
  DRAINING: { code: 'unavailable', message: 'The server is shutting down; open a new stream' },
  MESSAGE_TOO_LARGE: { code: 'resource_exhausted', message: 'The message is too large' },
  METADATA_TOO_LARGE: { code: 'resource_exhausted', message: 'The metadata is too large' },
})
