import type { Request, Response } from 'express'
import { ServiceError } from '../core/errors.ts'
import { reasons } from './reasons.ts'

/** Reads the body of a request. Rejects if incomplete bodies take too much memory. */
export type LimitBody = <Result>(
  request: Request,
  response: Response,
  isAuthenticated: boolean,
  read: () => Promise<Result>,
) => Promise<Result>

/** A body that has arrived only partly. */
type Unfinished = {
  isAuthenticated: boolean
  /** The bytes that have arrived, with the overhead of their buffers. */
  bytes: number
  reject(): void
}

/** The memory overhead of a buffer, in bytes. Small chunks cost more than their content. */
const bufferOverhead = 256

/**
 * Returns a reader that limits the memory of bodies that have not arrived completely. If they
 * exceed `maxBytes` together, the largest is rejected, starting with the bodies of public methods.
 */
export function createBodyLimit(maxBytes: number): LimitBody {
  const unfinished = new Set<Unfinished>()
  let totalBytes = 0

  function findLargest(): Unfinished | undefined {
    let largest: Unfinished | undefined
    for (const body of unfinished) {
      const isFirst = !largest || (largest.isAuthenticated && !body.isAuthenticated)
      const isLarger =
        largest?.isAuthenticated === body.isAuthenticated && body.bytes > largest.bytes
      if (isFirst || isLarger) largest = body
    }
    return largest
  }

  function remove(body: Unfinished): void {
    if (unfinished.delete(body)) totalBytes -= body.bytes
  }

  return async (request, response, isAuthenticated, read) => {
    const rejected = Promise.withResolvers<never>()
    const body: Unfinished = {
      isAuthenticated,
      bytes: 0,
      reject() {
        remove(body)
        // Closing the connection frees the bytes that have arrived.
        response.set('Connection', 'close')
        response.once('finish', () => request.destroy())
        rejected.reject(tooManyUnfinishedBodies())
      },
    }
    unfinished.add(body)
    function count(chunk: Buffer): void {
      if (!unfinished.has(body)) return
      const bytes = chunk.length + bufferOverhead
      body.bytes += bytes
      totalBytes += bytes
      while (totalBytes > maxBytes) {
        const largest = findLargest()
        if (!largest) return
        largest.reject()
      }
    }
    request.on('data', count)
    try {
      return await Promise.race([read(), rejected.promise])
    } finally {
      remove(body)
      request.off('data', count)
    }
  }
}

function tooManyUnfinishedBodies(): ServiceError {
  return new ServiceError(reasons.TOO_MANY_UNFINISHED_BODIES, undefined, {
    retryAfter: 1,
  })
}
