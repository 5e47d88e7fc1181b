import type { RequestContext } from '../core/request-context.ts'
import type { Watch } from '../core/watch.ts'
import type { DecisionHandler } from '../permissions/decision-handler.ts'

/**
 * The handler of a method. A handler without questions and options can be a function, whose context
 * includes `Added`.
 */
export type MethodHandler<Request, Response, Stores = object, Added = unknown> =
  | DecisionHandler<Request, Response, Stores>
  | ((context: RequestContext<Stores> & Added, request: Request) => Promise<Response>)

/**
 * The handlers that a service definition requires, with the stores that they may use and what is
 * added to the context of functions. A missing one is a compile-time error.
 */
export type HandlersOf<Server, Stores, Added = unknown> = {
  [Key in keyof Server as string extends Key ? never : number extends Key ? never : Key]: HandlerOf<
    Server[Key],
    Stores,
    Added
  >
}

/**
 * Derives the type of a handler from its grpc-js type, which is `(call, callback) => void` for
 * unary methods and `(call) => void` for streams. Each message of a stream is handled like a unary
 * request. The handler of a stream with a route returns a Watch.
 */
type HandlerOf<GrpcHandler, Stores, Added> = GrpcHandler extends (
  call: infer Incoming,
  callback: infer Callback,
) => void
  ? Callback extends (error: null, response: infer Response) => void
    ? Incoming extends { request: infer Request }
      ? MethodHandler<Request, NonNullable<Response>, Stores, Added>
      : never
    : Incoming extends { write(response: infer Response): unknown }
      ? Incoming extends { request: infer Request } | { read(): infer Request }
        ?
            | MethodHandler<Request, Response, Stores, Added>
            | MethodHandler<Request, Watch<Response>, Stores, Added>
        : never
      : never
  : never

/** Handlers by service and method: `{PermissionService: {check, …}}`. */
export type HandlerTable = Record<string, Record<string, MethodHandler<never, object, never>>>
