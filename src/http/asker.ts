import type { Request, Response } from 'express'
import { type Asker, createAsker } from '../rpc/asker.ts'

/** Milliseconds in a unit of `grpc-timeout` (the gRPC protocol over HTTP/2). */
const units: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** Milliseconds that a timer takes, 24 days. */
const longest = 2 ** 31 - 1

/** The client waits until its connection ends, or as long as it says by `Grpc-Timeout`. */
export function readAsker(request: Request, response: Response): Asker {
  const asker = createAsker()
  const [, amount, unit = ''] =
    /^(\d{1,8})([HMSmun])$/.exec(request.get('grpc-timeout') ?? '') ?? []
  const wait = Math.min(Number(amount) * (units[unit] ?? 0), longest)
  const deadline = amount && setTimeout(asker.leave, wait)
  response.once('close', () => {
    if (deadline) clearTimeout(deadline)
    asker.leave()
  })
  return asker
}
