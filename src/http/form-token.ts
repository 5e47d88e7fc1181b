import type { Request, Response } from 'express'
import { invalidArgument } from '../core/errors.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'
import { readBody } from './body.ts'

/** Whether a request may carry its access token in a form (RFC 6750, 2.2). */
export function mayHaveFormToken({ policy }: DeclaredOperation, request: Request): boolean {
  return (
    policy.form &&
    policy.tier === 'user' &&
    request.method === 'POST' &&
    Boolean(request.is('application/x-www-form-urlencoded'))
  )
}

/**
 * Returns the `Authorization` header that stands for the access token in a form, or undefined if the form
 * has none. Throws invalid_argument if the token is repeated, or is in the header as well.
 */
export async function readFormToken(
  request: Request,
  response: Response,
  { policy }: DeclaredOperation,
): Promise<string | undefined> {
  const { access_token: token } = (await readBody(request, response, policy)) as {
    access_token?: unknown
  }
  if (token === undefined) return undefined
  if (typeof token === 'string' && request.headers.authorization === undefined)
    return `Bearer ${token}`
  const message = 'must be sent once, in the form or in the Authorization header'
  throw invalidArgument({ field: 'access_token', message })
}
