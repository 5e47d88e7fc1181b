import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gateways, startGateway } from '../test/support/gateways.ts'
import { createCheckBatches } from './check-batches.ts'
import type { BenchProcess, ServerState } from './child-process.ts'
import { serviceKey } from './data-set.ts'
import { putRoutes, writeQuestions } from './gateway-questions.ts'
import type { Harness, Measurement } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses } from './write-requests.ts'

const inFlight = 64

/** The CPU time of a question of a gateway, compared with a Check over the same transport. */
const goal = { max: 1.15 }

type Round = Record<
  'restCheck' | 'routes' | 'action' | 'grpcCheck' | 'externalRoutes' | 'externalAction',
  Measurement
> &
  Record<'envoyCheck' | 'envoy', Measurement | undefined>

/**
 * Compares the server's CPU time for forward authentication and for Envoy's external authorization
 * with its CPU time for a Check, for allowed and for denied requests.
 */
export async function measureGateway(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const daikon = harness.daikon()
  const { port } = await daikon.request<ServerState>({})
  await putRoutes(port)
  const batches = await createCheckBatches(harness.database, 1, harness.quick ? 100 : 2000)
  const asked = await fetchResponses(harness, daikon, batches)
  const stops: (() => Promise<void>)[] = []
  try {
    const envoy = await startEnvoy(daikon, (stop) => stops.unshift(stop))
    for (const allowed of [true, false]) {
      const checks = asked.filter(({ response }) => response.results[0]?.allowed === allowed)
      const files = await writeQuestions(harness, port, checks, allowed)
      const results = await measureRounds(harness, files, { allowed, envoy })
      const answer = allowed ? 'allowed' : 'denied'
      const rest = { baseline: 'restCheck', check: 'POST /permissions/check' } as const
      const grpc = { baseline: 'grpcCheck', check: 'unary Check' } as const
      addRow(compare(`forward authentication by routes, ${answer}`, results, 'routes', rest))
      addRow(compare(`forward authentication by action, ${answer}`, results, 'action', rest))
      addRow(compare(`ext_authz by routes, ${answer}`, results, 'externalRoutes', grpc))
      addRow(compare(`ext_authz by action, ${answer}`, results, 'externalAction', grpc))
      if (envoy) {
        const proxied = { baseline: 'envoyCheck', check: 'unary Check through Envoy' } as const
        addRow(compare(`ext_authz by routes, asked by Envoy, ${answer}`, results, 'envoy', proxied))
      }
    }
  } finally {
    for (const stop of stops) await stop()
  }
}

function measureRounds(
  { rounds, measure, daikon }: Harness,
  files: Awaited<ReturnType<typeof writeQuestions>>,
  { allowed, envoy }: { allowed: boolean; envoy: EnvoyPorts | undefined },
): Promise<Round[]> {
  const unary = (file: string, more: { port?: number } = {}) =>
    measure(daikon(), { kind: 'unary', inFlight, files: [file], ...more })
  const http1 = (file: string, more: { status?: number; port?: number } = {}) =>
    measure(daikon(), { kind: 'http1', inFlight, files: [file], ...more })
  const status = allowed ? 204 : 403
  return interleave(rounds, {
    restCheck: () => http1(files.restCheck),
    routes: () => http1(files.routes, { status }),
    action: () => http1(files.action, { status }),
    grpcCheck: () => unary(files.grpcCheck),
    externalRoutes: () => unary(files.externalRoutes),
    externalAction: () => unary(files.externalAction),
    envoyCheck: async () => envoy && unary(files.grpcCheck, { port: envoy.proxy }),
    envoy: async () =>
      envoy && http1(files.envoy, { status: allowed ? 200 : 403, port: envoy.gateway }),
  })
}

/** The ports of Envoy in front of an application, and in front of daikon itself. */
type EnvoyPorts = { gateway: number; proxy: number }

/** Starts Envoy in front of an application that responds to everything, and as a plain proxy. */
async function startEnvoy(
  daikon: BenchProcess,
  onStop: (stop: () => Promise<void>) => void,
): Promise<EnvoyPorts | undefined> {
  const envoy = gateways.find(({ name }) => name === 'Envoy')
  if (!envoy?.isInstalled) {
    process.stdout.write('Envoy is not installed: ENVOY is the path of its executable\n')
    return undefined
  }
  const application = createServer((_request, response) => response.end('ok'))
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve))
  onStop(async () => {
    application.closeAllConnections()
    application.close()
  })
  const { port: app } = application.address() as AddressInfo
  const { port: grpc, httpPort: http = 0 } = await daikon.request<ServerState>({})
  const targets = { app, http, grpc, key: serviceKey }
  const config = join(import.meta.dirname, 'envoy-proxy.yaml')
  return {
    gateway: await startGateway(envoy, targets, onStop),
    proxy: await startGateway({ ...envoy, config }, targets, onStop),
  }
}

function compare(
  label: string,
  results: Round[],
  name: keyof Round,
  { baseline, check }: { baseline: 'restCheck' | 'grpcCheck' | 'envoyCheck'; check: string },
): Row {
  const of = (round: Round) => round[name] as Measurement
  const checkOf = (round: Round) => round[baseline] as Measurement
  return {
    label: `${label}: CPU compared with ${check}`,
    daikon: describe(results, of),
    baseline: describe(results, checkOf),
    value: medianOf(results, (round) => cpuOf(of(round)) / cpuOf(checkOf(round))),
    goal,
  }
}

function describe(results: Round[], read: (round: Round) => Measurement): string {
  const cpu = formatNumber(medianOf(results, (round) => cpuOf(read(round))))
  const calls = formatNumber(
    medianOf(results, (round) => read(round).calls / read(round).statements),
  )
  return `${formatLoad(medianLoad(results, read))}, ${cpu} µs CPU, ${calls} calls a statement`
}

const cpuOf = ({ cpu, calls }: Measurement) => cpu / calls
