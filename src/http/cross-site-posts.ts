import type { Request } from 'express'
import { invalidArgument } from '../core/errors.ts'
import type { Route } from '../rpc/method.ts'
import type { DeclaredOperation, Operation } from '../rpc/operation.ts'
import type { Responder } from './response.ts'

/** Longer URLs would exceed the headers that Node and proxies accept. */
const maxQueryLength = 8000

/** Whether forms that pages of other sites send to a route are repeated as GET requests. */
export function repeatsCrossSitePosts({ policy }: DeclaredOperation, { verb }: Route): boolean {
  return verb === 'post' && policy.pageField !== undefined
}

/**
 * Whether a page of another site sends a form to a method that displays pages. Browsers omit cookies
 * with `SameSite=Lax` there, so it would seem that nobody is signed in.
 */
export function isCrossSitePost(
  operation: DeclaredOperation,
  route: Route,
  request: Request,
): boolean {
  if (!repeatsCrossSitePosts(operation, route)) return false
  const site = request.get('sec-fetch-site')
  if (site !== undefined) return site !== 'same-origin'
  const origin = request.get('origin')
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== request.get('host')
}

/** Returns the operation that repeats a form as a GET request, which has the cookies. */
export function createRepetition(operation: DeclaredOperation, route: Route) {
  const { policy, name, input, bindings, validate } = operation
  const fields = input.fields.filter(
    (field) => !bindings.isBound(field) && !route.pathFields.includes(field.name),
  )
  const handle = async (_context: unknown, request: object) => {
    const message = request as Record<string, unknown>
    const query = new URLSearchParams()
    for (const { name } of fields) {
      if (message[name] !== undefined) query.set(name, String(message[name]))
    }
    for (const repeated of (message.repeated_parameters ?? []) as string[]) {
      query.append(repeated, '')
      query.append(repeated, '')
    }
    if (String(query).length > maxQueryLength)
      throw invalidArgument({ field: longestOf(query), message: 'is too long' })
    return { location: `?${query}` }
  }
  const repeat: Operation = { name, policy, validate, handler: { handle } }
  const respond: Responder = (response, { location }: { location?: string }) =>
    void response.status(303).set('Location', location).end()
  return { repeat, respond }
}

function longestOf(query: URLSearchParams): string {
  return [...query].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? ''
}
