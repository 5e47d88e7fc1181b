import express, { type Request, type Response } from 'express'
import { invalidArgument, ServiceError } from '../core/errors.ts'

/**
 * Reads a body of at most `limit` bytes into `request.body`, whatever its type; throws a Fault.
 * Nothing is unpacked: a few bytes would be as much work as the largest body.
 */
export function createParser(kind: 'json' | 'raw', limit: number) {
  const parse = express[kind]({ limit, inflate: false, type: () => true })
  return (request: Request, response: Response): Promise<void> =>
    new Promise((resolve, reject) => {
      parse(request, response, (error) => (error ? reject(bodyFault(error, limit)) : resolve()))
    })
}

/** The Fault of a body that is too large. */
export function bodyTooLarge(limit: number): ServiceError {
  return new ServiceError(
    'payload_too_large',
    'BODY_TOO_LARGE',
    `The body has more than ${limit} bytes`,
  )
}

function bodyFault(error: { type?: string; message: string }, limit: number): ServiceError {
  if (error.type === 'entity.too.large') return bodyTooLarge(limit)
  if (error.type === 'encoding.unsupported' || error.type === 'charset.unsupported')
    return new ServiceError('unsupported_media_type', 'ENCODING_UNSUPPORTED', error.message)
  const notJson = error.type === 'entity.parse.failed'
  return invalidArgument({
    field: '',
    message: notJson ? 'The body is not valid JSON' : 'The body could not be read',
  })
}
