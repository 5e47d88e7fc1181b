import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureDatabase, openBenchPostgres } from '../bench/bench-database.ts'
import { type ServerState, startBenchProcess, stopBenchProcesses } from '../bench/child-process.ts'
import { createSigner } from '../bench/credentials.ts'
import { digest, ensureDataSet } from '../bench/data-set.ts'
import { dataSetSql } from '../bench/data-set-sql.ts'
import { createBenchClient } from '../bench/grpc-client.ts'
import { buildGoGenerator, startGenerator } from '../bench/load-generator.ts'
import { describeMachine } from '../bench/machine.ts'
import { formatNumber } from '../bench/table.ts'
import { factsCacheBytes, startWorkers } from '../bench/workers.ts'
import { createDaikon, type Daikon } from './daikon.ts'
import {
  createQuestions,
  createShareSource,
  limitedSql,
  listsSql,
  peersSize,
  type ShareSource,
  shuffle,
  type Tokens,
} from './data.ts'
import { type Comparison, type Decisions, measureRows } from './measure.ts'
import { measurePages } from './pages.ts'
import type { Peer, Question } from './peer.ts'
import { formatComparison } from './report.ts'
import { type PeerServers, startOpenFga, startSpiceDb } from './servers.ts'
import { readTuples } from './tuples.ts'

/** The number of questions of each kind that are sent to each server before the measurements. */
const sampleSize = 500

/**
 * `npm start --prefix comparison [-- <words> --quick]`: compares daikon with SpiceDB and OpenFGA on the
 * same data and PostgreSQL. BENCH_SPICEDB and BENCH_OPENFGA are the paths of their programs; a
 * server without a path is skipped. If words are passed, only rows whose label contains one of them
 * are measured.
 */
export async function comparePeers(words: string[], quick: boolean): Promise<void> {
  const { BENCH_SPICEDB, BENCH_OPENFGA } = process.env
  const log = (message: string) => process.stderr.write(`${message}\n`)
  if (!BENCH_SPICEDB) log('Without SpiceDB: BENCH_SPICEDB is not set')
  if (!BENCH_OPENFGA) log('Without OpenFGA: BENCH_OPENFGA is not set')
  const database = await openBenchPostgres('daikon-bench-peers')
  const servers: PeerServers[] = []
  try {
    const program = buildGoGenerator(database.folder)
    if (!program) throw new Error('The comparison requires Go for its load generator')
    const more = [...listsSql(), ...limitedSql()]
    await ensureDataSet(database.url, peersSize, more)
    const shares = await createShareSource(database.url)
    const { questions, tokens } = await createQuestions(database.url, await createSigner(database))
    const daikon = await startDaikon(database, tokens, shares.writer)
    const cachingDaikon = await startDaikon(database, tokens, shares.writer, factsCacheBytes)
    const options = {
      recipe: digest([...dataSetSql(peersSize), ...more]),
      readTuples: () => readTuples(database.url),
      log,
    }
    const databaseOf = async (name: string) => {
      const url = new URL(await ensureDatabase(database.url, name))
      url.searchParams.set('sslmode', 'disable')
      return url.href
    }
    if (BENCH_SPICEDB) {
      const url = await databaseOf('spicedb')
      servers.push(await startSpiceDb({ ...options, program: BENCH_SPICEDB, url }))
    }
    if (BENCH_OPENFGA) {
      const url = await databaseOf('openfga')
      servers.push(await startOpenFga({ ...options, program: BENCH_OPENFGA, url }))
    }
    const listingPeers = servers.flatMap(({ peers }) => peers)
    const peers: Peer[] = [daikon, cachingDaikon, ...listingPeers]
    const decisions: Decisions = new Map()
    const { checks, batches, limitedChecks, limitedBatches } = questions
    for (const group of [...checks, ...batches, ...limitedChecks, ...limitedBatches]) {
      const allowed = await daikon.decide(group)
      for (const [index, question] of group.entries())
        decisions.set(question, allowed[index] === true)
    }
    for (const group of [checks, limitedChecks])
      await compareDecisions(peers, group.flat(), decisions)
    log(`${2 * sampleSize} decisions are the same in ${peers.length} configurations`)

    const comparison: Comparison = {
      peers,
      questions,
      decisions,
      shares,
      folder: database.folder,
      url: database.url,
      generator: startGenerator(program),
      writer: startGenerator(program),
      rounds: quick ? 1 : 5,
      seconds: quick ? 2 : 3,
    }
    // Before shares are measured, which leave documents that are not in the service's database.
    const pages = await measurePages(
      {
        url: database.url,
        serviceUrl: await ensureDatabase(database.url, 'service'),
        daikons: [daikon, cachingDaikon],
        peers: listingPeers,
        viewers: questions.viewers,
        tokens,
        rounds: comparison.rounds,
      },
      words,
      log,
    )
    const rows = [...(await measureRows(comparison, words, log)), ...pages]
    const tuples = (await readTuples(database.url)).length
    const lines = [
      `${await describeMachine(database.url)}.`,
      `100,000 documents as ${formatNumber(tuples)} relationships; medians of ${comparison.rounds} alternating`,
      `rounds of ${comparison.seconds} s.\n`,
      ...formatComparison(
        peers.map(({ name }) => name),
        rows,
      ),
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    if (!quick && words.length === 0) {
      const text = `# Results of the last complete comparison\n\n${lines.join('\n')}\n`
      writeFileSync(join(import.meta.dirname, 'results.md'), text)
    }
  } finally {
    for (const { stop } of servers) stop()
    stopBenchProcesses()
    await sleep(500)
    await database.close()
  }
}

/** Starts two workers, because the peers also use both cores. */
async function startDaikon(
  database: Awaited<ReturnType<typeof openBenchPostgres>>,
  tokens: Tokens,
  writer: ShareSource['writer'],
  maxFactsCacheBytes = 0,
): Promise<Daikon> {
  const server = startWorkers(startBenchProcess, database, maxFactsCacheBytes)
  const { port } = await server.request<ServerState>({})
  const signToken = await createSigner(database)
  return createDaikon({
    name: maxFactsCacheBytes === 0 ? 'daikon' : 'daikon, facts in memory',
    port,
    pid: server.pid,
    client: createBenchClient(port),
    tokens,
    writer: await signToken(writer.user, writer.workspace),
  })
}

/** Throws unless each server makes the same decisions as daikon on a sample of questions. */
async function compareDecisions(
  peers: Peer[],
  questions: Question[],
  decisions: Decisions,
): Promise<void> {
  const sample = shuffle(questions).slice(0, sampleSize)
  const allowed = sample.filter((question) => decisions.get(question)).length
  if (allowed === 0 || allowed === sample.length) throw new Error('All decisions are equal')
  for (const peer of peers) {
    for (const question of sample) {
      if ((await peer.check(question)) === decisions.get(question)) continue
      throw new Error(`${peer.name} decides differently: ${JSON.stringify(question)}`)
    }
  }
}
