import type { Caller, PrincipalStatus } from '../core/caller.ts'
import { callCancelled, ServiceError } from '../core/errors.ts'
import type { Principal, RequestContext, Transactional } from '../core/request-context.ts'
import { requestScope } from '../core/request-scope.ts'
import type { Span } from '../core/trace.ts'
import { databaseError } from '../database/database-errors.ts'
import type { Ask, Facts } from '../permissions/engine/ask.ts'
import type { RateLimitResult } from '../rate-limit/rate-limiter.ts'
import type { Release } from './admission.ts'
import {
  type Admissions,
  type AdmittedCaller,
  admit,
  admitMessage,
  claimedCaller,
} from './admit.ts'
import { authenticate } from './authenticate.ts'
import { authorize, requireScope } from './authorize.ts'
import type { Call } from './call.ts'
import type { VerifiedCredentials } from './credentials.ts'
import type { Decisions } from './decisions.ts'
import { decode } from './decode.ts'
import type { Operation } from './operation.ts'
import { type RateLimitDependencies, requireWithinLimit, takeRateLimit } from './take-rate-limit.ts'
import { createServiceKeyCheck } from './valid-service-keys.ts'

/** The dependencies of the pipeline. */
export type PipelineDependencies = Omit<RateLimitDependencies, 'isValidServiceKey'> & {
  ask: Ask
  /** Returns the current scopes of a management app, or undefined unless it is active. */
  findManagementScopes: (appId: string) => Promise<string[] | undefined>
  /** Whether a service key is required even if no service app is active (no development mode). */
  keysRequired: boolean
  onServiceKeyUsed: (keyHash: string, now: Date) => void
  onApiKeyUsed: (keyId: string, now: Date) => void
  onScimTokenUsed: (tokenId: string, now: Date) => void
  onServiceKeyRejected: (keyHash: string, call: Call) => void
  /** The origins whose pages may act with the admin cookie. */
  adminOrigins: string[]
  createStores: () => Transactional<object>
  admissions: Admissions
  /** Whether the activity log records the addresses of clients. */
  recordIp: boolean
  now: () => Date
  /** Called for every `internal` and `unavailable` error, unless the call was cancelled. */
  onFailure: (error: ServiceError, call: Call) => void
  /** Called when a call has ended. */
  onEnd?: ((result: CallResult) => void) | undefined
  /** Called with the decisions of a call, if they are logged. */
  onDecisions?: ((decisions: Decisions) => void) | undefined
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
  /** The authenticated parts of the caller's identity; empty if authentication failed. */
  principal: Principal
  response: object | undefined
  error: ServiceError | undefined
  milliseconds: number
}

/** Runs a call of either transport. Never rejects. */
export type Pipeline = (operation: Operation, call: Call) => Promise<Outcome>

/** A call on its way through the steps. */
type Running = {
  readonly operation: Operation
  readonly call: Call
  /** When the call arrived. */
  readonly now: Date
  /** The caller, once authenticated. */
  principal: Principal
  rateLimit?: RateLimitResult | undefined
  /** Free the slots of the call when it ends. */
  readonly releases: Release[]
  /** The checks that the handler decides, if decisions are logged. */
  checks?: Decisions['checks']
  bits?: Decisions['bits'] | undefined
}

/** Creates the pipeline that runs every call of both transports. */
export function createPipeline(dependencies: PipelineDependencies): Pipeline {
  const { onEnd, onDecisions, trace, onFailure, now } = dependencies
  const steps = createSteps(dependencies)
  return async (operation, received) => {
    const started = performance.now()
    const span = trace?.(operation, received)
    const call = span ? { ...received, scope: { ...received.scope, span } } : received
    const running: Running = { operation, call, now: now(), principal: {}, releases: [] }
    let response: object | undefined
    let error: ServiceError | undefined
    try {
      response = await runSteps(running, steps)
    } catch (thrown) {
      error = ServiceError.from(databaseError(thrown))
      const isServerFault = error.code === 'internal' || error.code === 'unavailable'
      if (isServerFault && call.scope.signal.aborted) error = callCancelled()
      else if (isServerFault) onFailure(error, call)
    } finally {
      for (const release of running.releases) release()
    }
    const { principal, rateLimit } = running
    span?.end(error?.reason)
    const milliseconds = performance.now() - started
    if (!call.isContinued) onEnd?.({ operation, call, principal, response, error, milliseconds })
    const { checks, bits } = running
    const isDecided = !error || operation.handler.denials?.includes(error.reason)
    if (checks && bits && isDecided) onDecisions?.({ call, principal, checks, bits, milliseconds })
    return error ? { error, rateLimit } : { response: response ?? {}, rateLimit }
  }
}

/** Runs the steps of a call, in order. A step ends the call by throwing a ServiceError. */
async function runSteps(running: Running, steps: Steps): Promise<object> {
  const { call, operation } = running

  // Rate limits come first, so that a flood of calls costs few statements and, without tokens,
  // no signature checks.
  await steps.limitRate(running)

  const credentials = await steps.verify(running)

  // Methods that require credentials read a large message only once the caller is authenticated, so
  // that no one else can make the server buffer or decode it. Over gRPC, it has already arrived, and
  // a valid token is sufficient to decode it.
  const { user, admin, managementApp } = credentials
  const hasToken = (user ?? admin ?? managementApp) !== undefined
  if (call.hasLargeBody && !(call.transport === 'grpc' && hasToken)) {
    const { status, scopes } = await steps.ask(running, credentials, undefined)
    steps.authenticate(running, credentials, status, scopes)
  }
  await steps.admitMessage(running, credentials)
  const message = call.read ? await call.read() : (call.readInTurn?.() ?? call.message)
  const decoded = decode(operation, message)

  // A list is loaded together with the status of its caller, so the call must be admitted before
  // the caller is authenticated.
  const isList = decoded.request !== undefined && operation.handler.asksForList === true
  if (isList) await steps.admit(running, claimedCaller(credentials))
  const { status, scopes, facts, error } = await steps.ask(running, credentials, decoded.request)
  steps.authenticate(running, credentials, status, scopes)

  // Validation errors are not reported before authentication, so that unauthenticated callers do
  // not learn which requests are valid.
  if (decoded.error) throw decoded.error
  steps.authorize(running, decoded.request)
  if (error) throw error

  // Calls are admitted before they take a connection, so that no tenant can take all of them.
  if (!isList) await steps.admit(running, running.principal)
  return steps.handle(running, credentials, decoded.request, facts)
}

/**
 * The status of the caller and the facts for the handler, or the error of preparing the query for
 * them.
 */
type Loaded = {
  status: PrincipalStatus | undefined
  facts?: Facts | undefined
  error?: unknown
  /** The scopes of the management app that calls, if it is active. */
  scopes?: string[] | undefined
}

const noFacts: Facts = { bits: [], explanations: [] }

type Steps = ReturnType<typeof createSteps>

function createSteps(dependencies: PipelineDependencies) {
  const { ask, admissions, adminOrigins, recordIp } = dependencies
  const isValidServiceKey = createServiceKeyCheck(dependencies.rateLimiter, ask)
  const limits: RateLimitDependencies = { ...dependencies, isValidServiceKey }

  return {
    async limitRate(running: Running): Promise<void> {
      const { operation, call, now } = running
      if (call.isContinued) return
      running.rateLimit = await takeRateLimit(operation, call, now, limits)
      requireWithinLimit(running.rateLimit)
    },

    async verify({ operation, call, now }: Running): Promise<VerifiedCredentials> {
      return dependencies.verifyCredentials(operation.policy, call.credentials, now)
    },

    async admitMessage(
      { call, releases }: Running,
      credentials: VerifiedCredentials,
    ): Promise<void> {
      releases.push(await admitMessage(call, credentials, admissions))
    },

    async admit({ operation, call, releases }: Running, caller: AdmittedCaller): Promise<void> {
      releases.push(await admit(operation.policy, call, caller, admissions))
    },

    /** Loads the status of the caller together with the facts that the handler asks for. */
    async ask(
      running: Running,
      { user, admin, managementApp, service, keyHash }: VerifiedCredentials,
      request: object | undefined,
    ): Promise<Loaded> {
      const { operation, call } = running
      const { policy, handler } = operation
      if (policy.tier === 'public' || policy.tier === 'scim') return { status: undefined }
      const person = user ?? admin
      const caller: Caller = {
        keyHash: service ? (keyHash ?? '') : undefined,
        tokenId: (person ?? managementApp)?.jti,
        userId: person?.sub,
        workspaceId: user?.wid,
      }
      if (managementApp) {
        const { status } = await ask(caller, undefined, call.scope)
        return { status, scopes: await dependencies.findManagementScopes(managementApp.sub) }
      }
      const { questions } = handler
      if (!request || !questions) return ask(caller, undefined, call.scope)
      if (!dependencies.onDecisions)
        return ask(caller, (service) => questions(request, service), call.scope)
      const loaded = await ask(
        caller,
        async (service) => {
          const asked = await questions(request, service)
          if ('checks' in asked) running.checks = asked.checks
          return asked
        },
        call.scope,
      )
      running.bits = loaded.facts?.bits
      return loaded
    },

    authenticate(
      running: Running,
      credentials: VerifiedCredentials,
      status: PrincipalStatus | undefined,
      scopes: string[] | undefined,
    ): void {
      const { call, now, operation } = running
      const { policy } = operation
      running.principal = authenticate(credentials, status, now, call, policy, dependencies, scopes)
      requireScope(operation, running.principal)
    },

    authorize({ operation, call, principal }: Running, request: object): void {
      authorize(operation, call, request, principal, adminOrigins)
    },

    /** Runs the handler. Its statements are cancelled if the call is. */
    async handle(
      { operation: { handler }, call, principal, now }: Running,
      { keyHash }: VerifiedCredentials,
      request: object,
      facts: Facts = noFacts,
    ): Promise<object> {
      const source = {
        requestId: call.requestId,
        ip: recordIp ? call.ip : undefined,
        // In development mode, any key is accepted, so it identifies no service.
        keyHash: principal.service?.name === undefined ? undefined : keyHash,
      }
      const { signal, span } = call.scope
      const context = createContext(principal, now, dependencies)
      return requestScope.run({ signal, span, source }, () =>
        handler.handle(context, request, facts),
      )
    },
  }
}

/** Creates the context of a handler. Decisions use no stores, so these are created on first use. */
function createContext(
  principal: Principal,
  now: Date,
  { warn, createStores }: PipelineDependencies,
): RequestContext {
  let stores: Transactional<object> | undefined
  return {
    principal,
    now,
    warn,
    get stores() {
      stores ??= createStores()
      return stores
    },
  }
}
