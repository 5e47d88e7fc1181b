import type { EntityManager } from '@mikro-orm/postgresql'
import type { Ask } from '../permissions/facts.ts'
import type { StatementPool } from '../storage/statement-pool.ts'
import type { Role } from '../workspaces/roles.ts'
import type { Fault } from './fault.ts'

/** What the caller shows, as it came. */
export type Credentials = {
  authorization: string | undefined
  serviceKey: string | undefined
}

/** What a door brings. */
export type Call = {
  /** gRPC is the inside door: the global limit does not count there (contract 4). */
  door: 'grpc' | 'http'
  /** The request, or why it could not be read. */
  message: object | Fault
  credentials: Credentials
  ip: string
  requestId: string
}

/** A person, by a valid access token; role as of now. */
export type UserCaller = {
  id: string
  workspaceId: string
  role: Role | undefined
}

/** A backend service; without a name it is unscoped, in development mode (specification 5.5). */
export type ServiceCaller = { name: string | undefined }

/** Who the call turns out to come from: either, both or neither. */
export type Caller = { user?: UserCaller; service?: ServiceCaller }

/** What a use case works with. */
export type Context = {
  caller: Caller
  /** For each ask of the use case its bits of `permissions/access.ts`. */
  grounds: number[]
  /** A fork for this call alone. */
  em: EntityManager
  /** Prepared statements, for reads that must be fast. */
  statements: StatementPool
}

/** What an operation does. `asks` names the checks whose facts ride in the authenticating statement. */
export type UseCase<Request, Response> = {
  (context: Context, request: Request): Promise<Response>
  asks?: (request: Request) => Ask[]
}

/** The use cases that a service of gen/ demands; one that is missing does not compile. */
export type UseCases<Server> = {
  [Key in keyof Server as string extends Key ? never : number extends Key ? never : Key]: Handled<
    Server[Key]
  >
}

/** A handler type of gen/ taken apart: `(call: {request}, callback: (error, response) => void) => void`. */
type Handled<Handler> = Handler extends (call: infer Incoming, callback: infer Callback) => void
  ? Incoming extends { request: infer Request }
    ? Callback extends (error: null, response: infer Response) => void
      ? UseCase<Request, NonNullable<Response>>
      : never
    : never
  : never
