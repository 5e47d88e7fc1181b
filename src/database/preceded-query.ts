import pg, { type QueryConfig, type QueryResult } from 'pg'

/** A prepared statement with a name, and statements without parameters and results to run before it. */
export type PrecededQueryConfig = QueryConfig & { name: string; precededBy: string[] }

/** The parts of pg that its types lack. */
type Connection = {
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(message: { text: string; name?: string }): void
  bind(message: object): void
  execute(message: object): void
}
type PreparedQuery = new (
  config: QueryConfig,
  callback: (error: Error | undefined, results: QueryResult | QueryResult[] | undefined) => void,
) => pg.Query & { prepare(connection: Connection): void }

/**
 * Sends several statements in one round trip, and returns the result of the last one. If one fails,
 * PostgreSQL does not run the others.
 */
class PrecededQuery extends (pg.Query as unknown as PreparedQuery) {
  readonly #config: PrecededQueryConfig

  constructor(
    config: PrecededQueryConfig,
    callback: (error: Error | undefined, result?: QueryResult) => void,
  ) {
    super(config, (error, results) => callback(error, [results].flat().at(-1)))
    this.#config = config
  }

  /** Called by pg, which sends all messages together. */
  override prepare(connection: Connection): void {
    const { name, text, precededBy } = this.#config
    const { parsedStatements, submittedNamedStatements } = connection
    // First, because pg takes the first response to a Parse message for that of the named statement.
    if (!(name in parsedStatements)) {
      connection.parse({ name, text })
      submittedNamedStatements[name] = text
    }
    for (const text of precededBy) {
      connection.parse({ text })
      connection.bind({})
      connection.execute({})
    }
    super.prepare(connection)
  }
}

/** Sends the statements of `config` with `send`, the method `query` of a client of pg. */
export function sendPreceded(
  config: PrecededQueryConfig,
  send: (query: pg.Query) => unknown,
): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    send(
      new PrecededQuery(config, (error, result) => {
        if (error) reject(error)
        else resolve(result as QueryResult)
      }),
    )
  })
}
