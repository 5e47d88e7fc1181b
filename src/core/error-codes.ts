/** Every error code with its gRPC status, HTTP status and title. */
export const errorCodes = {
  invalid_argument: { grpc: 3, http: 422, title: 'Invalid request' },
  failed_precondition: { grpc: 9, http: 400, title: 'Failed precondition' },
  unauthenticated: { grpc: 16, http: 401, title: 'Unauthenticated' },
  permission_denied: { grpc: 7, http: 403, title: 'Permission denied' },
  not_found: { grpc: 5, http: 404, title: 'Not found' },
  method_not_allowed: { grpc: 12, http: 405, title: 'Method not allowed' },
  already_exists: { grpc: 6, http: 409, title: 'Conflict' },
  gone: { grpc: 11, http: 410, title: 'Gone' },
  aborted: { grpc: 10, http: 412, title: 'Precondition failed' },
  payload_too_large: { grpc: 11, http: 413, title: 'Payload too large' },
  unsupported_media_type: { grpc: 3, http: 415, title: 'Unsupported media type' },
  resource_exhausted: { grpc: 8, http: 429, title: 'Too many requests' },
  unavailable: { grpc: 14, http: 503, title: 'Unavailable' },
  internal: { grpc: 13, http: 500, title: 'Internal error' },
} as const

export type ErrorCode = keyof typeof errorCodes
