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

/** What the pipeline works with. */
export type PipelineDependencies = {
  rateLimiter: RateLimiter
  /** Requests per minute and client over all REST routes; undefined turns every limit off. */
  globalLimit: number | undefined
  /** Requests per minute of an administrator to the admin routes; undefined applies `globalLimit`. */
  adminLimit: number | undefined
  verifyCredentials: VerifyCredentials
  loadFacts: LoadFacts
  loadSubjectFacts: LoadSubjectFacts
  /** No development mode: a service key is required even when no service app is active. */
  keysRequired: boolean
  onServiceKeyUsed: (keyHash: string, now: Date) => void
  onServiceKeyRejected: (keyHash: string, call: Call) => void
  /** The origins whose pages may act with the admin cookie. */
  adminOrigins: string[]
  forkEntityManager: () => EntityManager
  admissions: Admissions
  /** The activity log records the addresses of clients. */
  recordIp: boolean
  now: () => Date
  /** Called for every error that is the server's fault. */
  onFailure: (error: ServiceError, call: Call) => void
  /** Called for every call when it has ended. */
  onEnd?: ((result: CallResult) => void) | undefined
  /** Starts the span of a call, when calls are traced. */
  trace?: StartSpan | undefined
  warn: (text: string) => void
}

export type StartSpan = (operation: Operation, call: Call) => Span

/** What the transport sends: a response or an error, with the state of the rate limit. */
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

/** What the completed steps have established. */
type Progress = { principal: Principal; rateLimit?: RateLimitResult | undefined }

/** Creates the one pipeline that every call of both transports takes. */
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
 * The steps of a call, in order. A step ends the call by throwing a ServiceError.
 *
 * `progress` receives what logs and responses need even when a later step fails.
 */
async function runSteps(
  operation: Operation,
  call: Call,
  progress: Progress,
  dependencies: PipelineDependencies,
): Promise<object> {
  const now = dependencies.now()

  // First, so that a flood costs neither a statement nor, except for admin cookies, a signature check.
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

/** The steps after the verification of the credentials. */
async function runVerified(
  operation: Operation,
  call: Call,
  credentials: VerifiedCredentials,
  now: Date,
  progress: Progress,
  dependencies: PipelineDependencies,
): Promise<object> {
  // After the credentials, so that the body of a stranger's flood is never read.
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
  // A list is loaded with the status of its caller, so it takes its place before the caller is authenticated.
  let release = isList
    ? await admit(operation.policy, call, claimedCaller(credentials), admissions)
    : undefined
  try {
    const facts = await loadFacts(operation, call, credentials, decoded.request, dependencies)
    const principal = authenticate(credentials, facts.status, now, call, dependencies)
    progress.principal = principal

    // Only now, so that a stranger does not learn which requests are valid.
    if (decoded.error) throw decoded.error
    const { request } = decoded
    authorize(operation, call, request, principal, dependencies.adminOrigins)

    // Before a connection is taken, so that no tenant takes them all.
    release ??= await admit(operation.policy, call, principal, admissions)
    return await handle(operation, call, request, credentials, principal, facts, now, dependencies)
  } finally {
    release?.()
  }
}

/** What is loaded before the handler runs. */
type LoadedFacts = {
  status: PrincipalStatus | undefined
  /** For each check of a Decision, its grants. */
  grants: number[]
  /** Responds with what a SubjectDecision or a ListDecision loaded. */
  respond?: () => object | Promise<object>
}

/** The status of the caller and the facts of the request's checks, or the requested list, by one shared statement. */
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

/** Runs the handler; the statements it sends stop when the call is cancelled. */
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
    // In development mode any key is accepted, so it identifies no service.
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
