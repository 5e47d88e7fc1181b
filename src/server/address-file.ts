import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Config } from './config.ts'

/** The addresses of a server, as variables for shells. */
type Addresses = {
  /** BASE_URL, which is also the issuer of tokens. */
  DAIKON_URL?: string
  /** Host and port. */
  DAIKON_GRPC?: string
}

/**
 * In debug mode, writes the addresses of the server to `server.env` in DATA_DIR, which `daikon token`
 * and shells read. Returns a function that removes the file.
 */
export function writeAddresses(config: Config, grpcPort: number): () => void {
  // Without the bundled PostgreSQL, there may be no such directory.
  if (!config.DEBUG || !existsSync(config.DATA_DIR)) return () => {}
  const path = pathOf(config.DATA_DIR)
  const addresses: Addresses = {
    DAIKON_URL: config.BASE_URL,
    DAIKON_GRPC: `localhost:${grpcPort}`,
  }
  const lines = Object.entries(addresses).map(([name, value]) => `export ${name}='${value}'\n`)
  writeFileSync(path, lines.join(''))
  return () => rmSync(path, { force: true })
}

/** Returns the issuer of the server that runs in a data directory, if there is one. */
export function readIssuer(dataDir: string): string | undefined {
  const path = pathOf(dataDir)
  if (!existsSync(path)) return undefined
  const { DAIKON_URL }: Addresses = parseEnv(readFileSync(path, 'utf8'))
  return DAIKON_URL
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'server.env')
}
