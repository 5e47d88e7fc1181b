import type { Request, Response } from 'express'
import { createCancellation } from '../core/cancellation.ts'
import type { RequestScope } from '../core/request-scope.ts'

/** Milliseconds in a unit of `grpc-timeout` (the gRPC protocol over HTTP/2). */
const units: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** Milliseconds that a timer takes, 24 days. */
const longest = 2 ** 31 - 1

/** The scope of a request: aborted when its connection closes or its `Grpc-Timeout` has passed. */
export function readScope(request: Request, response: Response): RequestScope {
  const { signal, abort } = createCancellation()
  const [, amount, unit = ''] =
    /^(\d{1,8})([HMSmun])$/.exec(request.get('grpc-timeout') ?? '') ?? []
  const wait = Math.min(Number(amount) * (units[unit] ?? 0), longest)
  const deadline = amount && setTimeout(abort, wait)
  response.once('close', () => {
    if (deadline) clearTimeout(deadline)
    abort()
  })
  return { signal }
}
