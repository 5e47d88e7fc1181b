import type { handleBidiStreamingCall, handleServerStreamingCall } from '@grpc/grpc-js'
import { ServiceError } from '../core/errors.ts'
import type { Call } from '../rpc/call.ts'
import type { Operation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { type Incoming, readCall } from './incoming.ts'
import { toGrpcStatus } from './status.ts'

/** How many messages of one stream are under way at once; the others wait with the client. */
const mostUnderWay = 1000

/**
 * Answers each message as it comes, in any order. Every one takes the whole pipeline, so that an
 * expired or revoked credential is felt inside the stream; the first refusal ends it. While draining
 * no message is taken any more, and the stream ends when those under way are answered.
 */
export function createAnswers(
  operation: Operation,
  pipeline: Pipeline,
  draining: AbortSignal,
): handleBidiStreamingCall<object, object> {
  return (stream) => {
    const opened = openCall(stream)
    let underWay = 0
    let ending = false
    let over = false

    async function answer(message: object) {
      underWay += 1
      if (underWay === mostUnderWay) stream.pause()
      const { error, response } = await pipeline(operation, { ...opened, message })
      underWay -= 1
      if (over) return
      if (error) return fail(error)
      if (!stream.write(response ?? {})) stream.pause()
      else if (underWay < mostUnderWay && stream.isPaused() && !draining.aborted) stream.resume()
      if (underWay > 0) return
      if (ending) finish()
      else if (draining.aborted) drain()
    }

    function finish() {
      draining.removeEventListener('abort', drain)
      over = true
      stream.end()
    }

    function fail(fault: ServiceError) {
      draining.removeEventListener('abort', drain)
      over = true
      stream.emit('error', toGrpcStatus(fault, opened.requestId))
    }

    function drain() {
      stream.pause()
      const detail = 'The server is stopping: open the stream anew'
      if (underWay === 0 && !over) fail(new ServiceError('unavailable', 'DRAINING', detail))
    }

    stream.on('data', (message: object) => over || answer(message))
    stream.on('drain', () => {
      if (underWay < mostUnderWay && !draining.aborted) stream.resume()
    })
    stream.on('cancelled', () => {
      draining.removeEventListener('abort', drain)
      over = true
    })
    stream.on('end', () => {
      ending = true
      if (underWay === 0 && !over) finish()
    })
    draining.addEventListener('abort', drain)
    if (draining.aborted) drain()
  }
}

/** Answers page after page, as fast as the client takes them, until one names no next. */
export function createPages(
  operation: Operation,
  pipeline: Pipeline,
): handleServerStreamingCall<object, object> {
  return async (stream) => {
    const opened = openCall(stream)
    let message: object | undefined = stream.request
    while (message && !stream.cancelled) {
      const { error, response } = await pipeline(operation, { ...opened, message })
      if (error) return void stream.emit('error', toGrpcStatus(error, opened.requestId))
      const { next_page_token } = response as { next_page_token?: string }
      message = next_page_token ? { ...message, page_token: next_page_token } : undefined
      if (!stream.write(response ?? {})) await taken(stream)
    }
    stream.end()
  }
}

/** Resolves when the client has taken what was written, or gone. */
function taken(stream: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    stream.once('drain', resolve)
    stream.once('cancelled', resolve)
  })
}

function openCall(stream: Incoming): Call {
  return readCall(stream, {})
}
