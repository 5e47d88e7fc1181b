import { ServiceError } from '../core/errors.ts'
import { forEachInTurns } from '../core/turns.ts'
import type { Watch } from '../core/watch.ts'
import type { Call } from './call.ts'
import type { Operation } from './operation.ts'
import type { Pipeline } from './pipeline.ts'

/** Milliseconds between two verifications of the credentials of open watches without events. */
const verificationInterval = 5000

/** Sends a message. Resolves when more can be sent, or when the signal is aborted. */
export type SendMessage = (message: object, signal: AbortSignal) => Promise<void>

/** Sends the messages of a watch until it ends. Returns the error that ended it, if any. */
export type RunWatch = (
  operation: Operation,
  call: Call,
  watch: Watch<object>,
  send: SendMessage,
) => Promise<ServiceError | undefined>

/**
 * Creates the loop that all watches of a transport run. It verifies the credentials of all open
 * watches again at the same time, because concurrent verifications share statements, and ends all
 * watches when `draining` is aborted.
 */
export function createRunWatch(pipeline: Pipeline, draining: AbortSignal): RunWatch {
  const verifications = new Set<() => Promise<void>>()
  let timer: ReturnType<typeof setInterval> | undefined

  const verifyAll = () =>
    forEachInTurns([...verifications], (verify) => {
      if (verifications.has(verify)) void verify()
    })

  function addVerification(verify: () => Promise<void>): () => void {
    verifications.add(verify)
    timer ??= setInterval(verifyAll, verificationInterval).unref()
    return () => {
      verifications.delete(verify)
      if (verifications.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }

  return async (operation, call, watch, send) => {
    const controller = new AbortController()
    const { signal } = controller
    let failure: ServiceError | undefined
    const fail = (error: unknown) => {
      failure ??= ServiceError.from(error)
      controller.abort()
    }
    const end = () => controller.abort()
    const verification = { ...operation, handler: { handle: async () => ({}) } }
    const verify = async () => {
      const { error } = await pipeline(verification, { ...call, isContinued: true })
      if (error) fail(error)
    }
    const removeVerification = addVerification(verify)
    for (const ending of [draining, call.scope.signal]) {
      ending.addEventListener('abort', end)
      if (ending.aborted) end()
    }
    try {
      for await (const message of watch.messages(signal, fail, verify)) {
        if (failure || call.scope.signal.aborted) continue
        await send(message, signal)
      }
    } catch (error) {
      fail(error)
    } finally {
      removeVerification()
      for (const ending of [draining, call.scope.signal]) ending.removeEventListener('abort', end)
    }
    return failure
  }
}
