import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { AccessServiceService } from '../clients/typescript/src/gen/daikon/v1/access.ts'
import { PermissionServiceService } from '../clients/typescript/src/gen/daikon/v1/permissions.ts'
import { openDaikon } from './daikon-client.ts'
import { kind, serviceKey } from './data-set.ts'
import { quantileOf } from './quantiles.ts'

/** A check with its expected result. */
export type CallerCheck = { token: string; resource_id: string; action: string; allowed: boolean }

/**
 * `plain` calls Check with grpc-js, `evaluation` calls Evaluate, `client` uses the client library.
 */
export type CallerName = 'client' | 'plain' | 'evaluation'

/** `batches` calls EvaluateBatch with 1,000 checks each, with grpc-js alone. */
export type AtOnceCallerName = CallerName | 'batches'

/**
 * Either starts all checks concurrently with one caller, or runs them one by one with all callers
 * in turn.
 */
export type CallerJob = { port: number; checks: CallerCheck[] } & (
  | { mode: 'at once'; caller: AtOnceCallerName }
  | { mode: 'one by one' }
)

/**
 * The elapsed seconds and the microseconds of CPU for all checks. `total` also counts the checks that
 * opened the connection before.
 */
export type AtOnceResult = { seconds: number; cpu: number; total: number; wrong: number }

/** The median latency of each caller in milliseconds. */
export type OneByOneResult = { p50: Record<CallerName, number>; wrong: number }

type Caller = { check(item: CallerCheck): Promise<boolean>; close(): void }

process.on('message', async (job: CallerJob) => {
  process.send?.(job.mode === 'at once' ? await runAtOnce(job) : await runOneByOne(job))
})
process.once('disconnect', () => process.exit())

async function runAtOnce({
  port,
  checks,
  caller: name,
}: CallerJob & { mode: 'at once' }): Promise<AtOnceResult> {
  const caller = name === 'batches' ? createBatchCaller(port) : createAtOnceCaller(port, name)
  // Opens the connection.
  const first = checks.slice(0, 200)
  await caller.checkAll(first)
  const cpuBefore = process.cpuUsage()
  const started = performance.now()
  const results = await caller.checkAll(checks)
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  caller.close()
  const wrong = checks.filter(({ allowed }, index) => results[index] !== allowed).length
  return { seconds, cpu: user + system, total: first.length + checks.length, wrong }
}

type AtOnceCaller = { checkAll(checks: CallerCheck[]): Promise<boolean[]>; close(): void }

function createAtOnceCaller(port: number, name: CallerName): AtOnceCaller {
  const { check, close } = callers[name](port)
  return { close, checkAll: (checks) => Promise.all(checks.map(check)) }
}

function createBatchCaller(port: number): AtOnceCaller {
  const { evaluateBatch: method } = AccessServiceService
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const metadata = new Metadata()
  metadata.set('x-service-key', serviceKey)
  const type = `${kind.service_name}:${kind.resource_type}`
  const send = (checks: CallerCheck[]) =>
    new Promise<boolean[]>((resolve, reject) => {
      const evaluations = checks.map(({ token, resource_id: id, action }) => ({
        subject: { type: 'access_token', id: token },
        action: { name: action },
        resource: { type, id },
      }))
      client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        { evaluations },
        metadata,
        { deadline: Date.now() + 60_000 },
        (error, response) =>
          error ? reject(error) : resolve(response?.evaluations.map((e) => e.decision) ?? []),
      )
    })
  return {
    close: () => client.close(),
    async checkAll(checks) {
      const batches: CallerCheck[][] = []
      for (let start = 0; start < checks.length; start += 1000)
        batches.push(checks.slice(start, start + 1000))
      return (await Promise.all(batches.map(send))).flat()
    },
  }
}

async function runOneByOne({ port, checks }: CallerJob): Promise<OneByOneResult> {
  const names = Object.keys(callers) as CallerName[]
  const all = names.map((name) => ({ name, caller: callers[name](port), times: [] as number[] }))
  let wrong = 0
  for (const [index, item] of checks.entries())
    for (const { caller, times } of all) {
      const started = performance.now()
      const isAllowed = await caller.check(item)
      if (index >= checks.length / 4) times.push(performance.now() - started)
      if (isAllowed !== item.allowed) wrong += 1
    }
  for (const { caller } of all) caller.close()
  const medians = all.map(({ name, times }) => [name, quantileOf(times, 0.5)])
  return { p50: Object.fromEntries(medians), wrong }
}

const callers: Record<CallerName, (port: number) => Caller> = {
  client(port) {
    const daikon = openDaikon(port)
    return {
      check: ({ token, resource_id: id, action }) =>
        daikon.check({ token }, action, { type: kind.resource_type, id }),
      close: daikon.close,
    }
  },

  plain(port) {
    const { check } = PermissionServiceService
    return createPlainCaller(port, ({ token, resource_id, action }, client, done) => {
      const metadata = new Metadata()
      metadata.set('x-service-key', serviceKey)
      metadata.set('authorization', `Bearer ${token}`)
      client.makeUnaryRequest(
        check.path,
        check.requestSerialize,
        check.responseDeserialize,
        { checks: [{ ...kind, resource_id, action }] },
        metadata,
        { deadline: Date.now() + 60_000 },
        (error, response) => done(error, response?.results[0]?.allowed),
      )
    })
  },

  evaluation(port) {
    const { evaluate } = AccessServiceService
    return createPlainCaller(port, ({ token, resource_id: id, action }, client, done) => {
      const metadata = new Metadata()
      metadata.set('x-service-key', serviceKey)
      client.makeUnaryRequest(
        evaluate.path,
        evaluate.requestSerialize,
        evaluate.responseDeserialize,
        {
          subject: { type: 'access_token', id: token },
          action: { name: action },
          resource: { type: kind.resource_type, id },
        },
        metadata,
        { deadline: Date.now() + 60_000 },
        (error, response) => done(error, response?.decision),
      )
    })
  },
}

function createPlainCaller(
  port: number,
  send: (
    item: CallerCheck,
    client: Client,
    done: (error: Error | null, allowed: boolean | undefined) => void,
  ) => void,
): Caller {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  return {
    check: (item) =>
      new Promise((resolve, reject) => {
        send(item, client, (error, allowed) => (error ? reject(error) : resolve(allowed === true)))
      }),
    close: () => client.close(),
  }
}
