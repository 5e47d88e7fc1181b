import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../src/database/migrate.ts'
import { startMockMailbox } from '../src/dev/mock-mailbox.ts'
import { providerIds } from '../src/dev/mock-person.ts'
import { startMockProviders } from '../src/dev/mock-providers.ts'
import { createKeyFiles } from '../src/identity/keys.ts'
import { Visitor } from '../test/support/email-sign-in.ts'
import { followRedirects } from '../test/support/providers/browser-flow.ts'
import { createSeed } from '../test/support/seed.ts'
import { appUri } from '../test/support/sign-in.ts'
import { type ServerState, startBenchProcess, stopBenchProcesses } from './child-process.ts'
import { cpuTimeOf, findPostmaster } from './cpu-time.ts'
import { quantileOf } from './quantiles.ts'
import { interleave, medianOf } from './rounds.ts'

/**
 * `node bench/sign-in.ts [<addresses>]`: whether times of answers tell a known address from an unknown one, and
 * what a sign-in by a code costs beside one by a mock provider, on the embedded database.
 */
const count = Number(process.argv[2] ?? 150)
const [rounds, signInsARound, inFlight] = [4, 40, 4]

const folder = await mkdtemp(join(tmpdir(), 'daikon-sign-in-'))
const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
createKeyFiles(paths)
const embedded = await startEmbedded({ dataDir: join(folder, 'data') })
const mailbox = await startMockMailbox()
const BASE_URL = 'http://localhost:8000'
const redirectUris = [`${BASE_URL}/auth/callback/google`]
const emailOf = (kind: string, n: number) => `${kind}-${n}@example.com`
const signInNumbers = Array.from({ length: rounds * signInsARound }, (_, n) => n)
const mock = await startMockProviders({
  people: signInNumbers.map((n) => ({ name: 'Ann', email: emailOf('google', n) })),
  client: { id: 'daikon', secret: 'secret', redirectUris },
})
try {
  await migrate(embedded.url)
  await seedUsers()
  const environment = { ...mock.environment, ...mailbox.environment, BASE_URL }
  const args = [embedded.url, ...Object.values(paths), JSON.stringify(environment)]
  const server = startBenchProcess('sign-in-server.ts', ...args)
  const { httpPort = 0 } = await server.request<ServerState>({})
  const postmaster = await findPostmaster(embedded.url)
  const visit = () => new Visitor({ httpPort })

  /** Times of an answer in milliseconds, of each kind of address. */
  type Times = Record<string, number[]>

  /**
   * Asks for a code for an address of each kind in turn, and types a wrong one for each. Two kinds are both
   * absent: their ratio is the noise of the run.
   */
  async function compareAddresses(): Promise<{ asking: Times; typing: Times }> {
    const asking: Times = {}
    const typing: Times = {}
    const kinds = ['absent', 'known', 'ended', 'absent-too']
    // The first addresses warm up.
    const add = (times: Times, kind: string, n: number, time: number) => {
      if (n >= count / 10) times[kind] = [...(times[kind] ?? []), time]
    }
    const asked = []
    for (let n = 0; n < count; n += 1) {
      // Another order each time, so that no kind always follows another.
      for (const index of kinds.keys()) {
        const kind = kinds[(index + n) % kinds.length] as string
        const visitor = visit()
        const { state } = await visitor.begin()
        add(asking, kind, n, await timed(() => visitor.ask(emailOf(kind, n), state)))
        asked.push({ kind, n, visitor, state })
      }
    }
    // From here on, the addresses differ: some have a code.
    await receiveCode(emailOf('known', count - 1))
    for (const { kind, n, visitor, state } of asked)
      add(typing, kind, n, await timed(() => visitor.type(state, '01020304')))
    return { asking, typing }
  }

  /** Signs in users of a kind, some at a time. Returns the sign-ins a second and the CPU time of each. */
  async function measure(signIn: (n: number) => Promise<void>, round: number) {
    const before = { node: (await server.request<ServerState>({})).cpu, pg: cpuTimeOf(postmaster) }
    const started = performance.now()
    const numbers = signInNumbers.slice(round * signInsARound, (round + 1) * signInsARound)
    const take = async () => {
      for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) await signIn(n)
    }
    await Promise.all(Array.from({ length: inFlight }, take))
    const seconds = (performance.now() - started) / 1000
    return {
      rate: signInsARound / seconds,
      node: ((await server.request<ServerState>({})).cpu - before.node) / 1000 / signInsARound,
      pg: (cpuTimeOf(postmaster) - before.pg) / 1000 / signInsARound,
    }
  }

  async function signInByCode(n: number): Promise<void> {
    const email = emailOf('email', n)
    const visitor = visit()
    const { state } = await visitor.ask(email)
    requireCode(await visitor.finish(state, await receiveCode(email)))
  }

  async function signInByProvider(n: number): Promise<void> {
    const visitor = visit()
    const { location } = await visitor.begin('google')
    const hint = emailOf('google', n)
    const { callback } = await followRedirects(location, redirectUris[0] ?? '', { hint })
    const { location: redirect } = await visitor.open(`/auth/callback/google?${callback}`)
    requireCode(Object.fromEntries(new URL(redirect).searchParams))
  }

  const { asking, typing } = await compareAddresses()
  for (const [label, times] of Object.entries({
    'asking for a code': asking,
    'a wrong code': typing,
  }))
    for (const kind of ['known', 'ended', 'absent-too']) {
      const ratio = (share: number) =>
        (quantileOf(times[kind] ?? [], share) / quantileOf(times.absent ?? [], share)).toFixed(3)
      process.stdout.write(
        `${label}, ${kind} to absent: median ×${ratio(0.5)}, p95 ×${ratio(0.95)} ` +
          `(absent ${quantileOf(times.absent ?? [], 0.5).toFixed(2)} ms)\n`,
      )
    }
  const results = await interleave(rounds, {
    code: (round) => measure(signInByCode, round),
    provider: (round) => measure(signInByProvider, round),
  })
  for (const kind of ['code', 'provider'] as const)
    process.stdout.write(
      `sign-in by ${kind}: ${medianOf(results, (one) => one[kind].rate).toFixed(1)}/s with ${inFlight} in flight, ` +
        `CPU ${medianOf(results, (one) => one[kind].node).toFixed(1)} ms of the server, ` +
        `${medianOf(results, (one) => one[kind].pg).toFixed(1)} ms of PostgreSQL; load ${loadavg()[0]?.toFixed(0)}\n`,
    )
} finally {
  await stopBenchProcesses()
  await Promise.all([mock.close(), mailbox.close()])
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Waits for the e-mail with a code. */
async function receiveCode(email: string): Promise<string> {
  for (;;) {
    const mail = mailbox.mails.find(({ to }) => to?.some(({ address }) => address === email))
    if (mail) return /#(\d{8})/.exec(mail.text ?? '')?.[1] ?? ''
    await setTimeout(20)
  }
}

function requireCode({ code, error }: Record<string, string>): void {
  if (!code) throw new Error(`the sign-in failed: ${error}`)
}

/** Creates the users of all kinds, who have signed in before. */
async function seedUsers(): Promise<void> {
  const pool = new pg.Pool({ connectionString: embedded.url, max: 1 })
  const seed = createSeed(pool)
  await seed.clientApp([appUri])
  const workspace = await seed.workspace()
  const add = async (email: string, accounts: Record<string, string>, row: object = {}) => {
    const id = await seed.user('member', { email, ...row })
    await seed.member(workspace, id)
    for (const [provider, subject] of Object.entries(accounts))
      await pool.query(
        'insert into linked_accounts (provider, subject, user_id, email) values ($1, $2, $3, $4)',
        [provider, subject, id, email],
      )
  }
  for (let n = 0; n < count; n += 1) {
    const [known, ended] = [emailOf('known', n), emailOf('ended', n)]
    await add(known, { email: known })
    await add(ended, { email: ended }, { is_active: false })
  }
  for (const n of signInNumbers) {
    const [email, google] = [emailOf('email', n), emailOf('google', n)]
    await add(email, { email })
    await add(google, { google: providerIds({ name: '', email: google }).sub })
  }
  await pool.end()
}
