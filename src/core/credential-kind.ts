import type { Caller, PrincipalStatus } from './caller.ts'
import type { ServiceError } from './errors.ts'
import type { Principal } from './request-context.ts'
import type { Role } from './roles.ts'

/** The credentials of a call, as received. */
export type Credentials = {
  authorization: string | undefined
  serviceKey: string | undefined
  /** The cookies `admin_token`. */
  adminTokens: string[]
  /** The hash of the token, cached because all messages of a stream carry the same credentials. */
  digest?: string
  /** The hash of the service key, cached for the same reason. */
  keyHash?: string
}

/** A call, as far as kinds of credentials judge it. */
export type PresentingCall = {
  transport: 'grpc' | 'http'
  ip: string
  requestId: string
  /** The origin of the page that sent the request; true for a page of the same origin. */
  origin?: string | true | undefined
}

/** What a method requires of its callers (policy.proto). */
export type CredentialPolicy = {
  /**
   * The sets of kinds of credentials that the method takes, by their names: a call must present all of
   * one set. `[[]]` requires none. A method without a set is refused to every caller.
   */
  credentials: string[][]
  /** The names of the variants that the method takes. */
  variants: string[]
  /** Whether a service key may also be sent as `authorization: Bearer <key>`. */
  takesBearerKeys: boolean
  leastRole: Role | undefined
  workspaceField: string | undefined
  /** Split at its dots: `checks.service_name` leads into the repeated field `checks`. */
  serviceField: string[] | undefined
  /**
   * The scope that management apps need, or `none` if the method accepts only administrators.
   * Undefined if it accepts neither.
   */
  scope: string | undefined
  /** Whether the method changes nothing (RFC 9110, section 9.2.1). */
  safe: boolean
}

/** Whom a call counts for when it waits for a slot, and whose limit applies. */
export type Tenant = { key: string; of: 'workspace' | 'user' | 'service' }

/** The setting that limits the REST calls of a caller per minute. */
export type RateWindow = 'service' | 'user' | 'admin'

/**
 * A kind of credential: how it is recognized and verified, whom it identifies and what its bearer may
 * call. The feature that brings a kind registers it in its `feature.ts`. The pipeline names none of them.
 *
 * `Claims` is what a valid credential states. Whether the credential is still active is checked on
 * every call.
 */
export type CredentialKind<Claims = unknown> = {
  /** The name in the policies of methods. */
  name: string
  /** Whether a valid credential proves who calls before the status of the caller is known. */
  provesCaller: boolean
  /** Credentials of this kind that only some methods take. */
  variants?: CredentialVariant[]

  /** Whether a call presents what may be a credential of this kind. */
  isPresented(credentials: Credentials, policy: CredentialPolicy): boolean

  /**
   * Returns the claims of the presented credential, synchronously if it is remembered, or undefined if
   * `onlyRemembered` is set and a statement would be needed. Throws or rejects with `unauthenticated`
   * if the credential is missing or not valid.
   */
  verify(
    credentials: Credentials,
    policy: CredentialPolicy,
    now: Date,
    onlyRemembered: boolean,
  ): Claims | undefined | Promise<Claims | undefined>

  /** Adds what the status of the caller depends on. Absent if no status is loaded. */
  identify?(claims: Claims, caller: Caller): void

  /** Loads what the status does not contain. The handlers of such callers ask no questions. */
  load?(claims: Claims): Promise<unknown>

  /**
   * Checks the claims against the status, and adds whom they identify to the principal. Throws
   * `unauthenticated` or `permission_denied`. `status` is undefined only without `identify`, and
   * `loaded` without `load`.
   */
  authenticate(
    principal: Principal,
    claims: Claims,
    status: PrincipalStatus,
    call: PresentingCall,
    now: Date,
    loaded: unknown,
  ): void

  /** Whether the caller may call the method, whatever the request contains. Throws `permission_denied`. */
  permit?(principal: Principal, policy: CredentialPolicy): void

  /** Whether the caller may make this request. Throws `permission_denied` or `not_found`. */
  authorize?(
    principal: Principal,
    policy: CredentialPolicy,
    request: Record<string, unknown>,
    call: PresentingCall,
  ): void

  /** Returns whom the call counts for. `principal` is undefined before the caller is authenticated. */
  tenants?(claims: Claims, principal: Principal | undefined): Tenant[]

  /** Returns the windows in which the REST calls of a caller count, the first one with a limit. */
  windows?(policy: CredentialPolicy): RateWindow[]

  /** Returns for whom a call counts in a window. */
  clientIn?(window: RateWindow, claims: Claims): string | undefined
}

/** Credentials that are presented and verified like the others of their kind, but not taken by all methods. */
export type CredentialVariant = {
  /** The name in the policies of methods. */
  name: string
  includes(principal: Principal): boolean
  /** Whether a method that takes them takes those of this caller. By default, it does. */
  isTaken?(principal: Principal): boolean
  /** Returns the error of a method that does not take them. */
  refusal(): ServiceError
  /** Called with a caller that a method takes. */
  onAccepted?(principal: Principal, now: Date): void
}
