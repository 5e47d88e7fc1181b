import { setMaxListeners } from 'node:events'
import { createKeyUses } from './admin/key-uses.ts'
import { decisions } from './decisions.ts'
import { addHealth } from './grpc/health.ts'
import { addReflection } from './grpc/reflection.ts'
import { createGrpcDoor, createGrpcServer, type GrpcTls, type Keepalive } from './grpc/server.ts'
import type { HttpDoor } from './http/server.ts'
import { createClientOrigins } from './identity/client-origins.ts'
import type { IdentityParts } from './identity/identity-parts.ts'
import type { Keys } from './identity/keys.ts'
import { createLoginStates } from './identity/login-states.ts'
import { createTokens, type Tokens } from './identity/tokens.ts'
import type { Windows } from './limits/windows.ts'
import { createFacts } from './permissions/facts.ts'
import type { Call } from './rpc/call.ts'
import type { Fault } from './rpc/fault.ts'
import { readRegistry } from './rpc/method.ts'
import {
  createOperations,
  createStreams,
  type DeclaredOperation,
  type UseCaseTable,
} from './rpc/operation.ts'
import { createPipeline, type PipelineParts } from './rpc/pipeline.ts'
import { createRecognize } from './rpc/recognize.ts'
import { definitions } from './services.ts'
import type { Database } from './storage/database.ts'

/** What the application is put together from. */
export type AppParts = {
  database: Database
  keys: Keys
  providers: IdentityParts['providers']
  windows: Windows
  now: () => Date
  /** Hears of every Fault that is ours rather than the caller's. */
  onFailure: (fault: Fault, call: Call) => void
  /** Tells the operator what stands badly. */
  warn: (text: string) => void
  /** Hears of calls and of shared statements, for the operator. */
  watch?: Pick<PipelineParts, 'onEnd' | 'trace'> & { onBatch?: (callers: number) => void }
  options: AppOptions
}

export type AppOptions = IdentityParts['options'] & {
  /** What seals the state of sign-ins. */
  sessionSecret: string
  /** Cookies travel over https alone. */
  secureCookies: boolean
  /** Requests a minute of one client over all REST routes; undefined lifts every limit. */
  globalLimit: number | undefined
  trustedProxies: number
  /** The hosts that requests may name, `*` for any; empty: those of our own addresses. */
  allowedHosts: string[]
  /** Pages that may call, beside those of client apps. */
  corsOrigins: string[]
  /** gRPC over TLS; plain text where there is none. */
  grpcTls?: GrpcTls | undefined
  /** When silent gRPC clients are noticed, where not as usual. */
  grpcKeepalive?: Keepalive
}

/** Both doors over one pipeline. */
export type App = {
  operations: DeclaredOperation[]
  tokens: Tokens
  /** Opens the gRPC door; answers its port. What decides answers at once. */
  openInside(host: string, port: number): Promise<number>
  /** Reads the façade and whatever use case is not there yet, and opens the REST door. */
  openOutside(host: string, port: number): Promise<number>
  /** Writes when service keys were last used; wanted about once a minute. */
  writeKeyUses(): Promise<void>
  /** What `grpc.health.v1` says from now on. */
  setServing(serving: boolean): void
  /** Lets calls under way finish, then closes both doors; storage stays open. */
  drain(): Promise<void>
}

/** Milliseconds for calls under way to finish. */
const drainTime = 30_000

/** Puts the application together; this very thing is what the tests start. */
export function createApp(parts: AppParts): App {
  const { database, keys, providers, now, windows, onFailure, warn, watch, options } = parts
  const registry = readRegistry()
  const table = { PermissionService: decisions }
  const operations = createOperations(registry, table, loadUseCases)
  const streams = createStreams(registry, table)
  const tokens = createTokens({ keys, issuer: options.baseUrl, now })
  const loginStates = createLoginStates(options.sessionSecret, now)
  const keyUses = createKeyUses()
  const pipeline = createPipeline({
    ...{ database, windows, onFailure, warn, now, keyUses },
    ...{ onEnd: watch?.onEnd, trace: watch?.trace },
    identity: { keys, tokens, loginStates, providers, options },
    recognize: createRecognize(tokens),
    loadFacts: createFacts(database.statements, watch?.onBatch),
    globalLimit: options.globalLimit,
    adminOrigins: [options.adminUrl, options.baseUrl].map((url) => new URL(url).origin),
  })

  const draining = new AbortController()
  setMaxListeners(0, draining.signal)
  const server = createGrpcServer(
    [...operations, ...streams],
    definitions,
    pipeline,
    draining.signal,
    options.grpcKeepalive,
  )
  if (options.debug) addReflection(server, registry)
  const services = Object.keys(definitions).map((service) => `daikon.v1.${service}`)
  const health = addHealth(server, services)
  const onDrain = () => {
    draining.abort()
    health.endWatches()
  }
  const grpc = createGrpcDoor(server, { tls: options.grpcTls, onDrain })
  let outside: HttpDoor | undefined

  return {
    ...{ operations, tokens },
    openInside: grpc.listen,
    async openOutside(host, port) {
      const { createOutsideDoor } = await import('./http/outside.ts')
      await loadUseCases()
      const isClientOrigin = createClientOrigins(database.statements)
      const outsideOptions = { ...options, isClientOrigin }
      outside = createOutsideDoor(operations, registry, pipeline, outsideOptions)
      return outside.listen(host, port)
    },
    writeKeyUses: () => keyUses.write(database.statements),
    setServing: health.setServing,
    async drain() {
      health.setServing(false)
      await Promise.all([grpc.drain(drainTime), outside?.drain(drainTime)])
    },
  }
}

async function loadUseCases(): Promise<UseCaseTable> {
  const { useCases } = await import('./use-cases.ts')
  return useCases as unknown as UseCaseTable
}
