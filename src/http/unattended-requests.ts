import type { Request } from 'express'
import type { DeclaredOperation, Operation } from '../rpc/operation.ts'
import type { Responder } from './response.ts'

/** Whether a method redirects or shows pages, so that browsers navigate to it. */
export function isForNavigation({ policy }: Operation): boolean {
  return policy.pageField !== undefined || (policy.status >= 300 && policy.status < 400)
}

/**
 * Whether a request for a page was not made by a person who wants to see it: HEAD, or a browser's guess
 * which page that will be next. Sign-ins and sign-outs are GET requests (OpenID Connect Core 1.0, 3.1.2;
 * RP-Initiated Logout 1.0, 2), and such a request must not complete them.
 */
export function isUnattended(operation: DeclaredOperation, request: Request): boolean {
  return isForNavigation(operation) && (request.method === 'HEAD' || isPrefetch(request))
}

/** `Sec-Purpose` (Fetch Standard), and the headers of older browsers. */
const purposeHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

function isPrefetch(request: Request): boolean {
  return purposeHeaders.some((name) =>
    /\b(prefetch|prerender|preview)\b/i.test(request.get(name) ?? ''),
  )
}

/** Returns the operation that counts unattended requests against the limits of a method, and does nothing. */
export function withoutEffect({ name, policy }: Operation): Operation {
  return { name, policy, validate: () => {}, handler: { handle: async () => ({}) } }
}

/** Responds to HEAD without the fields of a page, and refuses to prefetch one: browsers discard errors. */
export const respondUnattended: Responder = (response) => {
  response
    .status(isPrefetch(response.req) ? 503 : 200)
    .type('html')
    .end()
}
