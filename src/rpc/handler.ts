import type { Handler } from '../core/request-context.ts'
import type { Decision, ListDecision, SubjectDecision } from '../permissions/decision.ts'

/**
 * The handler of a method: a decision from facts about the caller or about named subjects, a list
 * of what the caller has access to, or a function that uses an entity manager.
 */
export type MethodHandler<Request, Response> =
  | Decision<Request, Response>
  | SubjectDecision<Request, Response>
  | ListDecision<Request, Response>
  | Handler<Request, Response>

/** The handlers that a service definition requires. A missing one is a compile-time error. */
export type HandlersOf<Server> = {
  [Key in keyof Server as string extends Key ? never : number extends Key ? never : Key]: HandlerOf<
    Server[Key]
  >
}

/**
 * Derives the type of a handler from that of grpc-js, which is `(call, callback) => void` for unary
 * methods and `(call) => void` for streams. Each message of a stream is handled like a unary
 * request.
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

/** Handlers by service and method: `{PermissionService: {check, …}}`. */
export type HandlerTable = Record<string, Record<string, MethodHandler<never, object>>>
