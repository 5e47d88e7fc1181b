import type { FileRegistry } from '@bufbuild/protobuf'
import type { handleUnaryCall, MethodDefinition, Server, ServiceDefinition } from '@grpc/grpc-js'
import { HeaderValueOption_HeaderAppendAction } from '../../gen/envoy/config/core/v3/base.ts'
import type { CheckRequest, CheckResponse } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { errorCodes } from '../core/error-codes.ts'
import { ServiceError } from '../core/errors.ts'
import type { ForeignOperation } from '../rpc/operation.ts'
import type { Outcome, Pipeline } from '../rpc/pipeline.ts'
import { toChallenge, toProblem } from '../rpc/problem.ts'
import { readRequestId } from '../rpc/request-headers.ts'
import { withCodecs } from './codecs.ts'
import { encodeCheckResponse } from './encode-check-response.ts'
import { completeCall, type ReadCall, responseMetadata } from './incoming.ts'
import type { ReceivedMessage } from './received-message.ts'

/**
 * The maximum size of a request in bytes. It contains the access token, so it is decoded before the
 * call is authenticated. Envoy accepts 60 KiB of headers by default, and sends the path twice.
 */
export const maxAuthorizationBytes = 128 * 1024

/** Envoy's service and its only method. */
export type ExternalAuthorization = { definition: ServiceDefinition; operation: ForeignOperation }

/**
 * Adds Envoy's external authorization. Denials and errors are denied responses, not errors of gRPC,
 * so Envoy does not forward a request because of an error, whatever its `failure_mode_allow`. Only
 * messages above the maximum size fail.
 */
export function addExternalAuthorization(
  server: Server,
  { definition, operation }: ExternalAuthorization,
  registry: FileRegistry,
  pipeline: Pipeline,
  readCall: ReadCall,
): void {
  const limited = { ...operation, maxMessageBytes: maxAuthorizationBytes }
  const check: handleUnaryCall<ReceivedMessage, CheckResponse> = async (incoming, callback) => {
    const message = incoming.request.decode()
    const http =
      message instanceof ServiceError
        ? undefined
        : (message as CheckRequest).attributes?.request?.http
    const call = readCall(incoming)
    const requestId = readRequestId(http?.headers['x-request-id'])
    const credentials = { ...call.credentials, authorization: http?.headers.authorization }
    const outcome = await pipeline(operation, { ...call, message, requestId, credentials })
    completeCall(incoming)
    incoming.sendMetadata(responseMetadata)
    callback(null, toCheckResponse(outcome, requestId))
  }
  const method = definition.check as MethodDefinition<CheckRequest, CheckResponse>
  const encoded = { check: { ...method, responseSerialize: encodeCheckResponse } }
  server.addService(withCodecs(encoded, [limited], registry), { check })
}

function toCheckResponse({ error, response }: Outcome, requestId: string): CheckResponse {
  if (!error) return response as CheckResponse
  const problem = toProblem(error, requestId, 'gateway')
  const headers = [
    ['content-type', 'application/problem+json'],
    ['cache-control', 'no-store'],
    ...(problem.status === 401 ? [['www-authenticate', toChallenge(error)]] : []),
    ...(error.retryAfter === undefined ? [] : [['retry-after', String(error.retryAfter)]]),
  ]
  return {
    status: { code: errorCodes[error.code].grpc, message: error.message, details: [] },
    denied_response: {
      status: { code: problem.status },
      headers: headers.map(([key = '', value = '']) => ({
        header: { key, value },
        append_action: HeaderValueOption_HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD,
        keep_empty_value: false,
      })),
      body: JSON.stringify(problem),
    },
  }
}
