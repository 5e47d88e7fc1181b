import type { Caller, PrincipalStatus } from '../core/caller.ts'
import type { CredentialKind } from '../core/credential-kind.ts'
import { callCancelled, ServiceError } from '../core/errors.ts'
import type { ReadPosition } from '../core/read-position.ts'
import type { Principal, RequestContext, Transactional } from '../core/request-context.ts'
import { requestScope } from '../core/request-scope.ts'
import type { Span } from '../core/trace.ts'
import { nextTurn } from '../core/turns.ts'
import { databaseError } from '../database/database-errors.ts'
import type { Ask, Facts } from '../permissions/engine/ask.ts'
import { clientAddress } from '../rate-limit/client-address.ts'
import type { RateLimitResult } from '../rate-limit/rate-limiter.ts'
import type { Release } from './admission.ts'
import { type Admissions, admit, admitMessage } from './admit.ts'
import { authenticate } from './authenticate.ts'
import { authorize, permit } from './authorize.ts'
import type { Call } from './call.ts'
import {
  createChooseKinds,
  createCredentialsVerifier,
  type VerifiedCredentials,
} from './credentials.ts'
import type { Decisions } from './decisions.ts'
import { decode } from './decode.ts'
import { positionField } from './method.ts'
import type { Operation } from './operation.ts'
import { type RateLimitDependencies, requireWithinLimit, takeRateLimit } from './take-rate-limit.ts'
import { createServiceKeyCheck } from './valid-service-keys.ts'

/** The dependencies of the pipeline. */
export type PipelineDependencies = Omit<
  RateLimitDependencies,
  'isValidServiceKey' | 'chooseKinds'
> & {
  /** The kinds of credentials, by which callers are recognized. */
  credentialKinds: CredentialKind[]
  ask: Ask
  createStores: () => Transactional<object>
  readPosition: ReadPosition
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
  if (call.hasLargeBody && !(call.transport === 'grpc' && provesCaller(credentials))) {
    const { status, loaded } = await steps.ask(running, credentials, undefined)
    steps.authenticate(running, credentials, status, loaded)
  }
  await steps.admitMessage(running, credentials)
  // Reading, handling and encoding a large message take milliseconds each.
  const takeTurn = call.hasLargeBody ? nextTurn : undefined
  await takeTurn?.()
  const message = call.read ? await call.read() : (call.readInTurn?.() ?? call.message)
  const decoded = decode(operation, message)

  // A list is loaded together with the status of its caller, so the call must be admitted before
  // the caller is authenticated.
  const isList = decoded.request !== undefined && operation.handler.asksForList === true
  if (isList) await steps.admit(running, credentials, undefined)
  const { status, loaded, facts, error } = await steps.ask(running, credentials, decoded.request)
  steps.authenticate(running, credentials, status, loaded)

  // Validation errors are not reported before authentication, so that unauthenticated callers do
  // not learn which requests are valid.
  if (decoded.error) throw decoded.error
  steps.authorize(running, credentials, decoded.request)
  if (error) throw error

  // Calls are admitted before they take a connection, so that no tenant can take all of them.
  if (!isList) await steps.admit(running, credentials, running.principal)
  await takeTurn?.()
  const response = await steps.handle(running, decoded.request, facts)
  await takeTurn?.()
  return operation.policy.position ? steps.addPosition(running, response) : response
}

/** Whether the credentials prove who calls before the status of the caller is known. */
function provesCaller({ kinds, claims }: VerifiedCredentials): boolean {
  return kinds.some((kind, index) => kind.provesCaller && claims[index] !== undefined)
}

/**
 * The status of the caller and the facts for the handler, or the error of preparing the query for
 * them.
 */
type Loaded = {
  status: PrincipalStatus | undefined
  facts?: Facts | undefined
  error?: unknown
  /** What the kind of the caller's credential loads itself. */
  loaded?: unknown
}

const noFacts: Facts = { bits: [], explanations: [] }

type Steps = ReturnType<typeof createSteps>

function createSteps(dependencies: PipelineDependencies) {
  const { ask, admissions, recordIp, credentialKinds } = dependencies
  const chooseKinds = createChooseKinds(credentialKinds)
  const verifyCredentials = createCredentialsVerifier(chooseKinds)
  const isValidServiceKey = createServiceKeyCheck(dependencies.rateLimiter, ask)
  const limits: RateLimitDependencies = { ...dependencies, isValidServiceKey, chooseKinds }

  return {
    async limitRate(running: Running): Promise<void> {
      const { operation, call, now } = running
      if (call.isContinued) return
      running.rateLimit = await takeRateLimit(operation, call, now, limits)
      requireWithinLimit(running.rateLimit)
    },

    async verify({ operation, call, now }: Running): Promise<VerifiedCredentials> {
      return verifyCredentials(operation.policy, call.credentials, now)
    },

    async admitMessage(
      { call, releases }: Running,
      credentials: VerifiedCredentials,
    ): Promise<void> {
      releases.push(await admitMessage(call, credentials, admissions))
    },

    async admit(
      { operation: { policy }, call, releases }: Running,
      credentials: VerifiedCredentials,
      principal: Principal | undefined,
    ): Promise<void> {
      releases.push(await admit(policy, call, credentials, principal, admissions))
    },

    /** Loads the status of the caller together with the facts that the handler asks for. */
    async ask(
      running: Running,
      { kinds, claims }: VerifiedCredentials,
      request: object | undefined,
    ): Promise<Loaded> {
      const { operation, call } = running
      const caller: Caller = {
        keyHash: undefined,
        tokenId: undefined,
        userId: undefined,
        workspaceId: undefined,
        delegationId: undefined,
      }
      let hasStatus = false
      let loading: CredentialKind | undefined
      for (let index = 0; index < kinds.length; index += 1) {
        const kind = kinds[index]
        if (claims[index] === undefined || !kind?.identify) continue
        kind.identify(claims[index], caller)
        hasStatus = true
        if (kind.load) loading = kind
      }
      if (!hasStatus) return { status: undefined }
      if (loading) {
        const { status } = await ask(caller, undefined, call.scope)
        return { status, loaded: await loading.load?.(claims[kinds.indexOf(loading)]) }
      }
      const { questions } = operation.handler
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
      loaded: unknown,
    ): void {
      const { call, now, operation } = running
      running.principal = authenticate(credentials, status, now, call, operation.policy, loaded)
      permit(operation, credentials.kinds, running.principal)
    },

    authorize(
      { operation, call, principal }: Running,
      { kinds }: VerifiedCredentials,
      request: object,
    ): void {
      authorize(operation, call, request, kinds, principal)
    },

    /** Runs the handler. Its statements are cancelled if the call is. */
    async handle(
      { operation: { handler }, call, principal, now }: Running,
      request: object,
      facts: Facts = noFacts,
    ): Promise<object> {
      const source = {
        requestId: call.requestId,
        ip: recordIp ? call.ip : undefined,
        // In development mode, any key is accepted, so it identifies no service.
        keyHash: principal.service?.name === undefined ? undefined : call.credentials.keyHash,
      }
      const { signal, span } = call.scope
      const context = createContext(principal, now, call, dependencies)
      return requestScope.run({ signal, span, source }, () =>
        handler.handle(context, request, facts),
      )
    },

    /** The handler has committed, so the call succeeds even if no position can be read. */
    async addPosition({ call }: Running, response: object): Promise<object> {
      return { ...response, [positionField]: await dependencies.readPosition(call.scope) }
    },
  }
}

/** Creates the context of a handler. Decisions use no stores, so these are created on first use. */
function createContext(
  principal: Principal,
  now: Date,
  { ip }: Call,
  { warn, createStores }: PipelineDependencies,
): RequestContext {
  let stores: Transactional<object> | undefined
  return {
    principal,
    now,
    get network() {
      return clientAddress(ip)
    },
    warn,
    get stores() {
      stores ??= createStores()
      return stores
    },
  }
}
