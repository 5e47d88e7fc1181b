/** Everything that can be set, by its environment variable: default, parser, and a sentence. */
export const settings = {
  DATABASE_URL: setting(
    '',
    parseUrl('postgres', 'postgresql'),
    'PostgreSQL; empty: embedded under DATA_DIR',
  ),
  DATA_DIR: setting('.daikon', parseText, 'Where the embedded PostgreSQL lives'),
  HTTP_HOST: setting('0.0.0.0', parseText, 'Address of the REST façade'),
  HTTP_PORT: setting('8000', parsePort, 'Port of the REST façade; 0 picks a free one'),
  GRPC_HOST: setting('0.0.0.0', parseText, 'Address of the gRPC server'),
  GRPC_PORT: setting('50051', parsePort, 'Port of the gRPC server; 0 picks a free one'),
  BASE_URL: setting(
    'http://localhost:8000',
    parseUrl('http', 'https'),
    'Public address; the issuer of tokens',
  ),
  DEBUG: setting(
    'true',
    parseFlag,
    'Reflection, made-up keys, demo tokens; switch off in production',
  ),
  JWT_PRIVATE_KEY_PATH: setting('keys/private.pem', parseText, 'RSA key that signs tokens'),
  JWT_PUBLIC_KEY_PATH: setting(
    'keys/public.pem',
    parseText,
    'RSA keys that verify tokens, newest first',
  ),
  ACCESS_TOKEN_EXPIRE_MINUTES: setting('15', parseCount, 'Life of an access token'),
  SERVICE_KEYS_REQUIRED: setting(
    'false',
    parseFlag,
    'No development mode: a service key is always needed',
  ),
  RATE_LIMIT_ENABLED: setting('true', parseFlag, 'false lifts every limit'),
  RATE_LIMIT_PER_MINUTE: setting(
    '30',
    parseCount,
    'Requests a minute of one client over all REST routes',
  ),
  REDIS_URL: setting(
    '',
    parseRedis,
    'Where limits are counted, commas between the nodes of a cluster; empty: in this process',
  ),
  TRUSTED_PROXIES: setting(
    '0',
    parseNatural,
    'How many proxies in front are believed for X-Forwarded-For',
  ),
  LOG_LEVEL: setting(
    'info',
    parseOneOf('trace', 'debug', 'info', 'warn', 'error'),
    'Least level logged',
  ),
  LOG_FORMAT: setting('json', parseOneOf('json', 'pretty'), 'json, or pretty for people'),
} as const

/** The settings, each under its variable's name. */
export type Config = {
  [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']>
}

/** All that is wrong with the environment, one sentence a variable. */
export class ConfigError extends Error {}

/** Reads the settings from an environment; throws every mistake at once. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const mistakes: string[] = []
  const entries = Object.entries(settings).map(([name, { fallback, parse }]) => {
    const text = environment[name] || fallback
    try {
      return [name, text === '' ? '' : parse(text)]
    } catch (error) {
      mistakes.push(`${name} ${(error as Error).message}`)
      return [name, undefined]
    }
  })
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return Object.fromEntries(entries)
}

function setting<Value>(fallback: string, parse: (text: string) => Value, sentence: string) {
  return { fallback, parse, sentence }
}

function parseText(text: string): string {
  return text
}

function parseFlag(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false')
  return text === 'true'
}

function parseNatural(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error('must be a whole number from 0 on')
  return Number(text)
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error('must be a whole number from 1 on')
  return Number(text)
}

function parsePort(text: string): number {
  const port = parseNatural(text)
  if (port > 65_535) throw new Error('must be a port, 0 to 65535')
  return port
}

function parseUrl(...schemes: string[]) {
  return (text: string): string => {
    const ok = URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1))
    if (!ok) throw new Error(`must be a URL that begins with ${schemes.join(':// or ')}://`)
    return text.replace(/\/+$/, '')
  }
}

function parseRedis(text: string): string {
  return text
    .split(',')
    .map((node) => parseUrl('redis', 'rediss')(node.trim()))
    .join(',')
}

function parseOneOf<Value extends string>(...values: Value[]) {
  return (text: string): Value => {
    const value = values.find((known) => known === text)
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  }
}
