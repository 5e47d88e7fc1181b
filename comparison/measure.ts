import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchProcess } from '../bench/child-process.ts'
import { cpuTimeOf, findPostmaster } from '../bench/cpu-time.ts'
import type { Job, Result } from '../bench/load.ts'
import type { PreparedRequest } from '../bench/prepared-requests.ts'
import { interleave, medianOf } from '../bench/rounds.ts'
import { writeRequests } from '../bench/write-requests.ts'
import { type Questions, type ShareSource, shuffle } from './data.ts'
import type { Call, Peer, Question } from './peer.ts'

export type Decisions = Map<Question, boolean>

export type Comparison = {
  peers: Peer[]
  questions: Questions
  decisions: Decisions
  shares: ShareSource
  /** The folder for prepared requests. */
  folder: string
  url: string
  generator: BenchProcess
  /** A second generator, for writes during checks. */
  writer: BenchProcess
  rounds: number
  /** The duration of one measurement. */
  seconds: number
}

/** Median responses per second, milliseconds, and microseconds of CPU time per call. */
export type Cell = {
  rate: number
  p50: number
  p99: number
  serverCpu: number
  postgresCpu: number
  generatorCpu: number
  /** Of the service that joins the lists of the peer with its database, for pages. */
  serviceCpu?: number
}

/** The cells by name of the peer. Peers that were not measured are absent. */
export type ComparisonRow = { label: string; cells: Map<string, Cell> }

type Case = {
  label: string
  call: Call
  inFlight: number
  isHot?: true
  isBesideWrites?: true
  /** Whether the shares have conditions. */
  isLimited?: true
}

const cases: (Case & { list?: 'shortLists' | 'longLists' })[] = [
  { label: 'check, 1 in flight', call: 'check', inFlight: 1 },
  { label: 'check, 64', call: 'check', inFlight: 64 },
  { label: 'check, 256', call: 'check', inFlight: 256 },
  { label: 'check of 500 hot questions, 64', call: 'check', inFlight: 64, isHot: true },
  { label: 'check beside 50 writes/s, 64', call: 'check', inFlight: 64, isBesideWrites: true },
  { label: 'check with conditions, 64', call: 'check', inFlight: 64, isLimited: true },
  { label: '50 items, 16', call: 'batch', inFlight: 16 },
  { label: '50 items with conditions, 16', call: 'batch', inFlight: 16, isLimited: true },
  { label: 'list of 20 documents, 16', call: 'list', inFlight: 16, list: 'shortLists' },
  { label: 'list of 5,000 documents, 4', call: 'list', inFlight: 4, list: 'longLists' },
  { label: 'one share, 16', call: 'share', inFlight: 16 },
]

const hotQuestions = 500

/** The number of prepared shares per measurement, each of which is sent once. */
const maxShares = 30_000

const writesPerSecond = 50

/**
 * Seconds by which writes start before a measurement and end after it, including the warm-up of
 * both.
 */
const writesAround = 1

/**
 * Measures the rows whose label contains one of the words, or all rows if there are none, in
 * alternating rounds. Throws if a response is wrong.
 */
export async function measureRows(
  comparison: Comparison,
  words: string[],
  log: (message: string) => void,
): Promise<ComparisonRow[]> {
  const { peers, rounds, url } = comparison
  const postmaster = await findPostmaster(url)
  const rows: ComparisonRow[] = []
  for (const comparisonCase of cases.filter(({ label }) => isChosen(label, words))) {
    const measured = peers.filter(
      ({ measuresShares }) => comparisonCase.call !== 'share' || measuresShares,
    )
    const tasks = measured.map((peer) => {
      const file =
        comparisonCase.call === 'share' ? undefined : prepareFile(comparison, comparisonCase, peer)
      return [
        peer.name,
        () => measure(comparison, comparisonCase, { peer, file, postmaster }),
      ] as const
    })
    const results = await interleave(rounds, Object.fromEntries(tasks))
    rows.push(takeMedians(comparisonCase.label, results, log))
  }
  return rows
}

/** Whether a row is measured: if its label contains one of the words, or if there are none. */
export function isChosen(label: string, words: string[]): boolean {
  return words.length === 0 || words.some((word) => label.includes(word))
}

/** Returns the row with the medians of all rounds, which have the cells by name of the peer. */
export function takeMedians(
  label: string,
  rounds: Record<string, Cell>[],
  log: (message: string) => void,
): ComparisonRow {
  const cells = new Map(
    Object.keys(rounds[0] ?? {}).map((name) => {
      const median = (field: keyof Cell) => medianOf(rounds, (round) => round[name]?.[field] ?? 0)
      const cell: Cell = {
        rate: median('rate'),
        p50: median('p50'),
        p99: median('p99'),
        serverCpu: median('serverCpu'),
        postgresCpu: median('postgresCpu'),
        generatorCpu: median('generatorCpu'),
        ...(rounds[0]?.[name]?.serviceCpu !== undefined && { serviceCpu: median('serviceCpu') }),
      }
      return [name, cell]
    }),
  )
  log(
    `${label}: ${[...cells].map(([name, { rate }]) => `${name} ${rate.toFixed(0)}/s`).join(', ')}`,
  )
  return { label, cells }
}

function prepareFile(
  comparison: Comparison,
  { call, isHot, isLimited, list }: (typeof cases)[number],
  peer: Peer,
): string {
  const { questions, decisions } = comparison
  const allowed = (question: Question) => decisions.get(question) === true
  const name = [peer.name, call, list, isHot && 'hot', isLimited && 'limited']
    .filter(Boolean)
    .join('-')
    .replaceAll(' ', '-')
  const requests = (): PreparedRequest[] => {
    if (list) return questions[list].map((question) => peer.prepareList(question))
    if (call === 'batch')
      return (isLimited ? questions.limitedBatches : questions.batches).map((batch) =>
        peer.prepareBatch(batch, batch.map(allowed)),
      )
    const groups = isLimited ? questions.limitedChecks : questions.checks
    const checks = shuffle(groups.flat()).slice(0, isHot ? hotQuestions : undefined)
    return checks.map((question) => peer.prepareCheck(question, allowed(question)))
  }
  return writeRequests({ database: comparison }, name, requests())
}

async function measure(
  comparison: Comparison,
  { call, inFlight, isBesideWrites }: Case,
  { peer, file, postmaster }: { peer: Peer; file: string | undefined; postmaster: number },
): Promise<Cell> {
  const { seconds, generator } = comparison
  const job: Job = {
    kind: 'unary',
    port: peer.port,
    files: [file ?? prepareShares(comparison, peer, maxShares)],
    seconds,
    inFlight,
    fields: peer.comparedFields[call],
    ...(!file && { once: true }),
  }
  const writes = isBesideWrites ? startWrites(comparison, peer) : undefined
  if (writes) await sleep(writesAround * 1000)
  const before = { server: cpuTimeOf(peer.pid), postgres: cpuTimeOf(postmaster) }
  const result = await generator.request<Result>(job, seconds)
  const server = cpuTimeOf(peer.pid) - before.server
  const postgres = cpuTimeOf(postmaster) - before.postgres
  const { rate, p50, p99, calls, generatorCpu = 0 } = result
  requireCorrect(peer, call, result)
  if (writes) requireCorrect(peer, 'share', await writes)
  return {
    rate,
    p50,
    p99,
    serverCpu: server / calls,
    postgresCpu: postgres / calls,
    generatorCpu: generatorCpu / calls,
  }
}

function requireCorrect(peer: Peer, call: Call, { calls, wrong }: Result): void {
  if (calls === 0) throw new Error(`${peer.name}, ${call}: no response during the measurement`)
  if (wrong > 0) throw new Error(`${peer.name}, ${call}: ${wrong} of ${calls} responses are wrong`)
}

/** Shares documents at a constant rate until after the measurement. */
function startWrites(comparison: Comparison, peer: Peer): Promise<Result> {
  const seconds = comparison.seconds + 2 * writesAround
  const count = Math.ceil(writesPerSecond * (seconds + 2))
  const job: Job = {
    kind: 'unary',
    port: peer.port,
    files: [prepareShares(comparison, peer, count)],
    seconds,
    inFlight: 0,
    pace: writesPerSecond,
    once: true,
  }
  return comparison.writer.request<Result>(job, seconds)
}

function prepareShares(comparison: Comparison, peer: Peer, count: number): string {
  const requests = comparison.shares.take(count).map((share) => peer.prepareShare(share))
  const name = `${peer.name}-shares-${count}`.replaceAll(' ', '-')
  return writeRequests({ database: comparison }, name, requests)
}
