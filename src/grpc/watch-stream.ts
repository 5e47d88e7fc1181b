import type { handleServerStreamingCall } from '@grpc/grpc-js'
import { ServiceError } from '../core/errors.ts'
import { drainedOrAborted, type Watch } from '../core/watch.ts'
import type { Operation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import type { RunWatch } from '../rpc/run-watch.ts'
import { type ReadCall, responseMetadata } from './incoming.ts'
import { reasons } from './reasons.ts'
import { type ReceivedMessage, withMessage } from './received-message.ts'
import { toGrpcStatus } from './status.ts'

/** Creates the handler of a watch. During a drain, it ends with UNAVAILABLE after the last message. */
export function createWatchHandler(
  operation: Operation,
  pipeline: Pipeline,
  runWatch: RunWatch,
  readCall: ReadCall,
): handleServerStreamingCall<ReceivedMessage, object> {
  return async (stream) => {
    const call = withMessage(readCall(stream), stream.request, operation.policy)
    const fail = (error: ServiceError) =>
      void stream.emit('error', toGrpcStatus(error, call.requestId))
    const { error, response } = await pipeline(operation, call)
    if (error) return fail(error)
    stream.sendMetadata(responseMetadata)
    const failure = await runWatch(operation, call, response as Watch<object>, (message, signal) =>
      stream.write(message) ? Promise.resolve() : drainedOrAborted(stream, signal),
    )
    if (stream.cancelled) return
    fail(failure ?? new ServiceError(reasons.DRAINING))
  }
}
