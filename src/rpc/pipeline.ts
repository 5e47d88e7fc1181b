import type { EntityManager } from '@mikro-orm/postgresql'
import { callCancelled } from '../core/cancellation.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal, ServicePrincipal } from '../core/request-context.ts'
import { requestScope } from '../core/request-scope.ts'
import { type Span, withSpan } from '../core/trace.ts'
import { databaseError } from '../database/database-errors.ts'
import type { CallerQuery, LoadSubjectFacts } from '../permissions/decision.ts'
import type { LoadFacts, PrincipalStatus } from '../permissions/facts.ts'
import type { RateLimiter, RateLimitResult } from '../rate-limit/rate-limiter.ts'
import { type Admissions, admit, admitMessage, claimedCaller } from './admit.ts'
import { authenticate } from './authenticate.ts'
import { authorize } from './authorize.ts'
import type { Call } from './call.ts'
import type { VerifiedCredentials, VerifyCredentials } from './credentials.ts'
import { decode } from './decode.ts'
import type { Operation } from './operation.ts'
import { requireWithinLimit, takeRateLimit } from './take-rate-limit.ts'

/** The dependencies of the pipeline. */
export type PipelineDependencies = {
  rateLimiter: RateLimiter
  /** Requests per minute and client over all REST routes; undefined to turn every limit off. */
  globalLimit: number | undefined
  /** Requests per minute of an administrator to admin routes; undefined to apply `globalLimit`. */
  adminLimit: number | undefined
  verifyCredentials: VerifyCredentials
  loadFacts: LoadFacts
  loadSubjectFacts: LoadSubjectFacts
  /** Whether a service key is required even if no service app is active (no development mode). */
  keysRequired: boolean
  onServiceKeyUsed: (keyHash: string, now: Date) => void
  onServiceKeyRejected: (keyHash: string, call: Call) => void
  /** The origins whose pages may act with the admin cookie. */
  adminOrigins: string[]
  forkEntityManager: () => EntityManager
  admissions: Admissions
  /** Whether the activity log records the addresses of clients. */
  recordIp: boolean
  now: () => Date
  /** Called for every `internal` and `unavailable` error, unless the call was cancelled. */
  onFailure: (error: ServiceError, call: Call) => void
  /** Called when a call has ended. */
  onEnd?: ((result: CallResult) => void) | undefined
  /** Starts the span of a call, if calls are traced. */
  trace?: StartSpan | undefined
  warn: (text: string) => void
}

export type StartSpan = (operation: Operation, call: Call) => Span

/** The outcome that a transport sends: a response or an error, with the state of the rate limit. */
export type Outcome = {
  response?: object
  error?: ServiceError
  rateLimit?: RateLimitResult | undefined
}

/** A call that has ended, for logs and metrics. */
export type CallResult = {
  operation: Operation
  call: Call
  /** The caller, as far as it was authenticated. */
  principal: Principal
  response: object | undefined
  error: ServiceError | undefined
  milliseconds: number
}

/** Runs a call of either transport. Never rejects. */
export type Pipeline = (operation: Operation, call: Call) => Promise<Outcome>

/** The results of the steps so far that logs and responses need. */
type Progress = { principal: Principal; rateLimit?: RateLimitResult | undefined }

/** Creates the pipeline that runs every call of both transports. */
export function createPipeline(dependencies: PipelineDependencies): Pipeline {
  const { onEnd, trace, onFailure } = dependencies
  return async (operation, received) => {
    const started = performance.now()
    const span = trace?.(operation, received)
    const call = span ? { ...received, scope: { ...received.scope, span } } : received
    const progress: Progress = { principal: {} }
    let response: object | undefined
    let error: ServiceError | undefined
    try {
      response = await runSteps(operation, call, progress, dependencies)
    } catch (thrown) {
      error = ServiceError.from(databaseError(thrown))
      const isServerFault = error.code === 'internal' || error.code === 'unavailable'
      if (isServerFault && call.scope.signal.aborted) error = callCancelled()
      else if (isServerFault) onFailure(error, call)
    }
    const { principal, rateLimit } = progress
    span?.end(error?.reason)
    const milliseconds = performance.now() - started
    onEnd?.({ operation, call, principal, response, error, milliseconds })
    return error ? { error, rateLimit } : { response: response ?? {}, rateLimit }
  }
}

/**
 * Runs the steps of a call, in order. A step ends the call by throwing a ServiceError.
 *
 * `progress` receives what logs and responses need even if a later step fails.
 */
async function runSteps(
  operation: Operation,
  call: Call,
  progress: Progress,
  dependencies: PipelineDependencies,
): Promise<object> {
  const now = dependencies.now()

  // Rate limits come first, so that a flood of calls costs neither a statement nor, except with
  // admin cookies, a signature check.
  progress.rateLimit = await takeRateLimit(operation, call, now, dependencies)
  requireWithinLimit(progress.rateLimit)

  const credentials = await dependencies.verifyCredentials(operation.policy, call.credentials, now)

  const release = await admitMessage(call, credentials, dependencies.admissions)
  try {
    return await runVerified(operation, call, credentials, now, progress, dependencies)
  } finally {
    release()
  }
}

/** Runs the steps after the verification of the credentials. */
async function runVerified(
  operation: Operation,
  call: Call,
  credentials: VerifiedCredentials,
  now: Date,
  progress: Progress,
  dependencies: PipelineDependencies,
): Promise<object> {
  // Methods that require credentials read a large body only once the caller is authenticated, so
  // that no one else can make the server buffer it.
  if (call.hasLargeBody) {
    const { status } = await loadFacts(operation, call, credentials, undefined, dependencies)
    authenticate(credentials, status, now, call, dependencies)
  }
  const decoded = decode(
    operation,
    call.read ? await call.read() : (call.readInTurn?.() ?? call.message),
  )

  const { admissions } = dependencies
  const isList = decoded.request !== undefined && 'load' in operation.handler
  // A list is loaded together with the status of its caller, so the call must be admitted before
  // the caller is authenticated.
  let release = isList
    ? await admit(operation.policy, call, claimedCaller(credentials), admissions)
    : undefined
  try {
    const facts = await loadFacts(operation, call, credentials, decoded.request, dependencies)
    const principal = authenticate(credentials, facts.status, now, call, dependencies)
    progress.principal = principal

    // Validation errors are not reported before authentication, so that unauthenticated callers do
    // not learn which requests are valid.
    if (decoded.error) throw decoded.error
    const { request } = decoded
    authorize(operation, call, request, principal, dependencies.adminOrigins)

    // Calls are admitted before they take a connection, so that no tenant can take all of them.
    release ??= await admit(operation.policy, call, principal, admissions)
    return await handle(operation, call, request, credentials, principal, facts, now, dependencies)
  } finally {
    release?.()
  }
}

/** The facts that are loaded before the handler runs. */
type LoadedFacts = {
  status: PrincipalStatus | undefined
  /** The grants of each check of a Decision. */
  grants: number[]
  /** Returns the response of a SubjectDecision or a ListDecision, from what it has loaded. */
  respond?: () => object | Promise<object>
}

/**
 * Loads the status of the caller together with the facts of the request's checks, or with the
 * requested list.
 */
async function loadFacts(
  { policy, handler }: Operation,
  { scope }: Call,
  { user, admin, keyHash }: VerifiedCredentials,
  request: object | undefined,
  { loadFacts, loadSubjectFacts }: PipelineDependencies,
): Promise<LoadedFacts> {
  if (policy.tier === 'public') return { status: undefined, grants: [] }
  const decision = typeof handler === 'function' ? undefined : handler
  if (request && decision && 'prepare' in decision) {
    const prepare = (service: ServicePrincipal) => decision.prepare(request, service)
    const loaded = await withSpan(scope.span, 'facts', {}, () =>
      loadSubjectFacts(keyHash, prepare, scope),
    )
    return { ...loaded, grants: [] }
  }
  const token = user ?? admin
  const caller: CallerQuery = {
    keyHash,
    tokenId: token?.jti,
    userId: token?.sub,
    workspaceId: user?.wid,
  }
  if (request && decision && 'load' in decision) {
    return { ...(await decision.load(request, caller, scope)), grants: [] }
  }
  const checks = request && decision && 'checks' in decision ? decision.checks(request) : []
  return withSpan(scope.span, 'facts', {}, () => loadFacts({ ...caller, checks }, scope))
}

/** Runs the handler. Its statements are cancelled if the call is. */
async function handle(
  { handler }: Operation,
  call: Call,
  request: object,
  { keyHash }: VerifiedCredentials,
  principal: Principal,
  { grants, respond }: LoadedFacts,
  now: Date,
  { forkEntityManager, recordIp, warn }: PipelineDependencies,
): Promise<object> {
  const source = {
    requestId: call.requestId,
    ip: recordIp ? call.ip : undefined,
    // In development mode, any key is accepted, so it identifies no service.
    keyHash: principal.service?.name === undefined ? undefined : keyHash,
  }
  const { signal, span } = call.scope
  return requestScope.run({ signal, span, source }, () => {
    if (typeof handler === 'function')
      return handler({ principal, em: forkEntityManager(), now, warn }, request)
    if ('handle' in handler) return handler.handle({ principal, grants }, request)
    if (!respond) throw new Error('the facts of this method have not been loaded')
    return respond()
  })
}
