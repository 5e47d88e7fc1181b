import type { Handler } from '../core/request-context.ts'
import type { Decision, ListDecision, SubjectDecision } from '../permissions/decision.ts'

/**
 * How a method is handled: from facts alone, about the caller or named subjects, by a list of what the caller
 * has access to, or with an entity manager.
 */
export type MethodHandler<Request, Response> =
  | Decision<Request, Response>
  | SubjectDecision<Request, Response>
  | ListDecision<Request, Response>
  | Handler<Request, Response>

/** The handlers that a generated service definition requires; a missing one does not compile. */
export type HandlersOf<Server> = {
  [Key in keyof Server as string extends Key ? never : number extends Key ? never : Key]: HandlerOf<
    Server[Key]
  >
}

/**
 * Takes the handler type of grpc-js apart: unary handlers are `(call, callback) => void`, streams
 * `(call) => void`; every message of a stream is handled like a unary request.
 */
type HandlerOf<GrpcHandler> = GrpcHandler extends (
  call: infer Incoming,
  callback: infer Callback,
) => void
  ? Callback extends (error: null, response: infer Response) => void
    ? Incoming extends { request: infer Request }
      ? MethodHandler<Request, NonNullable<Response>>
      : never
    : Incoming extends { write(response: infer Response): unknown }
      ? Incoming extends { request: infer Request } | { read(): infer Request }
        ? MethodHandler<Request, Response>
        : never
      : never
  : never

/** Handlers by service and method, `{PermissionService: {check, …}}`. */
export type HandlerTable = Record<string, Record<string, MethodHandler<never, object>>>
