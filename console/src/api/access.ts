import { isWorkspaceConsole } from '../console-kind.ts'

/** How a console addresses and authenticates its requests. */
export type Access = {
  /** Returns the URL of the route that the console uses instead of a route of administrators. */
  locate(url: string): string
  /** Returns the request with its credentials. */
  authenticate(request: Request): Request
  /** Obtains new credentials after a 401. Returns whether the request can be sent again. */
  renew(): Promise<boolean>
}

const administratorAccess: Access = {
  locate: (url) => url,
  authenticate: (request) => new Request(request, { credentials: 'include' }),
  renew: async () => false,
}

/** Sends nothing until somebody has signed in. */
const noAccess: Access = {
  locate: (url) => url,
  authenticate() {
    throw new Error('Nobody is signed in')
  },
  renew: async () => false,
}

let current = isWorkspaceConsole ? noAccess : administratorAccess

/** The access of the console. */
export const access: Access = {
  locate: (url) => current.locate(url),
  authenticate: (request) => current.authenticate(request),
  renew: () => current.renew(),
}

/** Replaces the access of the workspace console; without a value, nobody is signed in. */
export function setAccess(next: Access = noAccess): void {
  current = next
}

/** A request at the address that the console uses. */
export class LocatedRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(input instanceof Request ? input : access.locate(String(input)), init)
  }
}
