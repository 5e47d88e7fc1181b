import type { EntityManager } from '@mikro-orm/postgresql'
import type { Actor } from '../activity/record.ts'
import type { IdentityParts } from '../identity/identity-parts.ts'
import type { Ask } from '../permissions/facts.ts'
import type { StatementPool } from '../storage/statement-pool.ts'
import type { Role } from '../workspaces/roles.ts'
import type { Asker } from './asker.ts'
import type { Fault } from './fault.ts'

/** What the caller shows, as it came. */
export type Credentials = {
  authorization: string | undefined
  serviceKey: string | undefined
  /** The cookie `admin_token`. */
  adminToken: string | undefined
  /** SHA-256 of them, once it is known: all messages of a stream come with the same. */
  digest?: string
}

/** What a door brings. */
export type Call = {
  /** gRPC is the inside door: the global limit does not count there. */
  door: 'grpc' | 'http'
  /** The request, or why it could not be read. */
  message: object | Fault
  /** Reads the message where it has not come yet: nobody's flood is read. */
  read?: () => Promise<object | Fault>
  credentials: Credentials
  ip: string
  requestId: string
  /** Whether the client still waits. */
  asker: Asker
  /** W3C trace context: the span of the client's that this call is a part of. */
  traceparent?: string | undefined
  /** Of a browser: the site of the page that sends the request, or true for a page of ours. */
  origin?: string | true | undefined
}

/** The token that a caller has shown. */
export type ShownToken = { id: string; expiresAt: Date }

/** A person, by a valid access token; role as of now. */
export type UserCaller = {
  id: string
  workspaceId: string
  role: Role | undefined
  token: ShownToken
}

/** An administrator, by a valid admin token, as of now. */
export type AdminCaller = { id: string; token: ShownToken }

/** A backend service; without a name it is unscoped, in development mode (specification 5.5). */
export type ServiceCaller = { name: string | undefined }

/** Who the call turns out to come from: what the method's tier asks for. */
export type Caller = { user?: UserCaller; service?: ServiceCaller; admin?: AdminCaller }

/** The user of a method whose tier asks for one. */
export function requireUser({ user }: Caller): UserCaller {
  if (!user) throw new Error('a method of no user tier')
  return user
}

/** The administrator of a method whose tier asks for one. */
export function requireAdmin({ admin }: Caller): AdminCaller {
  if (!admin) throw new Error('a method of another tier than admin')
  return admin
}

/** Whom the activity log names. */
export function actorOf({ user, admin }: Caller): Actor {
  return { actorId: user?.id ?? admin?.id }
}

/** What a use case works with. */
export type Context = {
  caller: Caller
  /** For each ask of the use case its bits of `permissions/access.ts`. */
  grounds: number[]
  /** A fork for this call alone. */
  em: EntityManager
  /** Prepared statements, for reads that must be fast. */
  statements: StatementPool
  /** When the call came. */
  now: Date
  /** Keys, tokens and providers. */
  identity: IdentityParts
  /** Tells the operator. */
  warn: (text: string) => void
}

/** What changes to records take: who, and on what. */
export type Acting = Pick<Context, 'caller' | 'em'>

/** What an operation does. */
export type UseCase<Request, Response> =
  | (((context: Context, request: Request) => Promise<Response>) & { asks?: never })
  | Decision<Request, Response>

/** A use case whose facts ride in the authenticating statement: it has no need of entities. */
export type Decision<Request, Response> = {
  (context: Omit<Context, 'em'>, request: Request): Promise<Response> | Response
  /** The checks of which it wants the grounds. */
  asks: (request: Request) => Ask[]
}

/** The use cases that a service of gen/ demands; one that is missing does not compile. */
export type UseCases<Server> = {
  [Key in keyof Server as string extends Key ? never : number extends Key ? never : Key]: Handled<
    Server[Key]
  >
}

/**
 * A handler type of gen/ taken apart: `(call: {request}, callback: (error, response) => void) => void`,
 * or of a stream `(call: {request or read, write}) => void`, whose every message takes the use case.
 */
type Handled<Handler> = Handler extends (call: infer Incoming, callback: infer Callback) => void
  ? Callback extends (error: null, response: infer Response) => void
    ? Incoming extends { request: infer Request }
      ? UseCase<Request, NonNullable<Response>>
      : never
    : Incoming extends { write(response: infer Response): unknown }
      ? Incoming extends { request: infer Request } | { read(): infer Request }
        ? UseCase<Request, Response>
        : never
      : never
  : never
