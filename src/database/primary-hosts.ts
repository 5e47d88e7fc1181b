import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { splitHosts } from '../core/postgres-hosts.ts'
import { requestScope } from '../core/request-scope.ts'
import { tellSchemaVersion } from './schema-version.ts'

/**
 * Finds the primary among the hosts of a URL, and follows a promotion to another host. A single host
 * may be an address behind which a failover replaces the server.
 */
export type PrimaryHosts = {
  /** The URL of the host that was the primary in the last search. */
  current(): string
  /** Searches for the primary again. Concurrent calls share one search. */
  locate(): Promise<void>
}

type ClientClass = new (config?: pg.ClientConfig) => pg.Client

/** Milliseconds to wait for the response of a host. */
const hostTimeout = 2000

/** Milliseconds to wait for a primary at startup, for example during a failover. */
const startTimeout = 15_000

const readOnly = 'READ_ONLY'

export function createPrimaryHosts(url: string): PrimaryHosts {
  const urls = splitHosts(url)
  let current = urls[0] as string
  let locating: Promise<void> | undefined

  async function locate() {
    // If two hosts are primaries, which happens only in a split brain, keep the current one.
    const others = urls.filter((url) => url !== current)
    if (others.length === 0) return
    const isCurrent = requireReadWrite(current).then(
      () => true,
      () => false,
    )
    const found = await Promise.any(
      others.map(async (url) => {
        await requireReadWrite(url)
        if (await isCurrent) throw new Error('The current host is the primary')
        return url
      }),
    ).catch(() => undefined)
    if (found !== undefined) current = found
  }

  return {
    current: () => current,
    locate() {
      locating ??= locate().finally(() => {
        locating = undefined
      })
      return locating
    },
  }
}

/**
 * Returns the URL of the primary among the hosts of a URL, for a command that does not run for
 * long. Waits briefly for one to appear, except for a single host that cannot be reached. If none
 * does, returns the URL of the first host, so that connecting to it fails with the cause.
 *
 * @throws an Error with `code` READ_ONLY if the only host accepts only reads
 */
export async function findPrimaryUrl(url: string): Promise<string> {
  const urls = splitHosts(url)
  const [first = url] = urls
  const deadline = performance.now() + startTimeout
  for (;;) {
    const found = await Promise.any(
      urls.map(async (url) => {
        await requireReadWrite(url)
        return url
      }),
    ).catch(({ errors }: AggregateError) => errors[0] as Error & { code?: string })
    if (typeof found === 'string') return found
    const mayChange = urls.length > 1 || found.code === readOnly
    if (performance.now() > deadline || !mayChange) {
      if (urls.length === 1 && found.code === readOnly) throw found
      return first
    }
    await sleep(200)
  }
}

/**
 * Returns a client class whose clients connect to the current primary, regardless of the configured
 * host, and reject a host that accepts only reads. A failed connection starts a new search for the
 * primary, so that a later one succeeds.
 */
export function followPrimary(Client: ClientClass, hosts: PrimaryHosts): ClientClass {
  class PrimaryClient extends Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: hosts.current() })
      // The pool adds its error listener only after the client has connected.
      this.on('error', () => {})
    }

    override connect(...args: never[]): never {
      const [callback] = args as ((error?: Error) => void)[]
      const connected = this.#connect()
      if (!callback) return connected as never
      connected.then(
        () => callback(),
        (error) => callback(error),
      )
      return undefined as never
    }

    async #connect(): Promise<void> {
      try {
        await super.connect()
        await requestScope.exit(() => requireWritable(this))
      } catch (error) {
        void hosts.locate()
        // Not awaited: the host may not respond.
        void this.end().catch(() => {})
        throw error
      }
    }
  }
  return PrimaryClient as unknown as ClientClass
}

async function requireReadWrite(connectionString: string): Promise<void> {
  const VersionedClient = tellSchemaVersion(pg.Client)
  const client = new VersionedClient({
    connectionString,
    connectionTimeoutMillis: hostTimeout,
    query_timeout: hostTimeout,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await requireWritable(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** @throws an Error with `code` READ_ONLY */
async function requireWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>(
    'show transaction_read_only',
  )
  if (rows[0]?.transaction_read_only === 'on') {
    const message = `${client.host}:${client.port} is not the primary: it accepts only reads`
    throw Object.assign(new Error(message), { code: readOnly })
  }
}
