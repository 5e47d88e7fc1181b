import type { handleBidiStreamingCall, handleServerStreamingCall } from '@grpc/grpc-js'
import { ServiceError } from '../core/errors.ts'
import type { Operation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { type ReadCall, responseMetadata } from './incoming.ts'
import { reasons } from './reasons.ts'
import { type ReceivedMessage, withMessage } from './received-message.ts'
import { toGrpcStatus } from './status.ts'

/** The maximum number of messages of a stream in progress. Flow control holds back the others. */
const maxInFlight = 1000

/**
 * Creates the handler of a bidirectional stream. Each message runs through the whole pipeline, so
 * that expired or revoked credentials are noticed during the stream. Responses are sent in the
 * order in which they are ready. The first error ends the stream. During a drain, no more messages
 * are read, and the stream ends with UNAVAILABLE after the responses to the messages in progress.
 */
export function createBidiHandler(
  operation: Operation,
  pipeline: Pipeline,
  draining: AbortSignal,
  readCall: ReadCall,
): handleBidiStreamingCall<ReceivedMessage, object> {
  return (stream) => {
    const call = readCall(stream)
    let inFlight = 0
    let hasClientEnded = false
    let isClosed = false

    async function handle(message: ReceivedMessage) {
      inFlight += 1
      if (inFlight === maxInFlight) stream.pause()
      const { error, response } = await pipeline(
        operation,
        withMessage(call, message, operation.policy),
      )
      inFlight -= 1
      if (isClosed) return
      if (error) return fail(error)
      stream.sendMetadata(responseMetadata)
      const isWritable = stream.write(response ?? {})
      if (!isWritable) stream.pause()
      else if (inFlight < maxInFlight && stream.isPaused() && !draining.aborted) stream.resume()
      if (inFlight > 0) return
      if (hasClientEnded) finish()
      else if (draining.aborted) drain()
    }

    function close() {
      isClosed = true
      draining.removeEventListener('abort', drain)
    }

    function finish() {
      close()
      stream.end()
    }

    function fail(error: ServiceError) {
      close()
      stream.emit('error', toGrpcStatus(error, call.requestId))
    }

    function drain() {
      stream.pause()
      if (inFlight > 0 || isClosed) return
      fail(new ServiceError(reasons.DRAINING))
    }

    stream.on('data', (message: ReceivedMessage) => {
      if (!isClosed) handle(message)
    })
    stream.on('drain', () => {
      if (inFlight < maxInFlight && !draining.aborted) stream.resume()
    })
    stream.on('cancelled', close)
    stream.on('end', () => {
      hasClientEnded = true
      if (inFlight === 0 && !isClosed) finish()
    })
    draining.addEventListener('abort', drain)
    if (draining.aborted) drain()
  }
}

/**
 * Creates the handler of a server stream of pages. It repeats the request with each
 * `next_page_token` until a response has none, at the pace of the client. Each page runs through
 * the whole pipeline.
 */
export function createPageStreamHandler(
  operation: Operation,
  pipeline: Pipeline,
  readCall: ReadCall,
): handleServerStreamingCall<ReceivedMessage, object> {
  return async (stream) => {
    const call = readCall(stream)
    let message: object | undefined = {}
    const { bytes, decode } = stream.request
    const request = { bytes, decode: () => (message = decode()) }
    let next = withMessage(call, request, operation.policy)
    while (!stream.cancelled) {
      const { error, response } = await pipeline(operation, next)
      if (error) return void stream.emit('error', toGrpcStatus(error, call.requestId))
      const { next_page_token } = response as { next_page_token?: string }
      stream.sendMetadata(responseMetadata)
      if (!stream.write(response ?? {})) await drainedOrCancelled(stream)
      if (!next_page_token) break
      next = { ...call, message: { ...message, page_token: next_page_token } }
    }
    stream.end()
  }
}

function drainedOrCancelled(stream: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    stream.once('drain', resolve)
    stream.once('cancelled', resolve)
  })
}
