import { findProviderMistakes } from './provider-settings.ts'
import {
  ConfigError,
  count,
  email,
  flag,
  host,
  list,
  natural,
  oneOf,
  orEmpty,
  origin,
  port,
  setting,
  text,
  url,
} from './setting.ts'

const http = url('http', 'https')

/** Everything that can be set, by its environment variable: default, parser, and a sentence. */
export const settings = {
  DATABASE_URL: setting(
    '',
    orEmpty(url('postgres', 'postgresql')),
    'PostgreSQL; empty: embedded under DATA_DIR',
  ),
  DATA_DIR: setting('.daikon', text, 'Where the embedded PostgreSQL lives'),
  REDIS_URL: setting(
    '',
    list(url('redis', 'rediss')),
    'Where limits are counted, commas between the nodes of a cluster; empty: in this process',
  ),
  HTTP_HOST: setting('0.0.0.0', text, 'Address of the REST façade'),
  HTTP_PORT: setting('8000', port, 'Port of the REST façade; 0 picks a free one'),
  GRPC_HOST: setting('0.0.0.0', text, 'Address of the gRPC server'),
  GRPC_PORT: setting('50051', port, 'Port of the gRPC server; 0 picks a free one'),
  GRPC_TLS_CERT_PATH: setting('', text, 'Certificate chain of the gRPC server; empty: plain text'),
  GRPC_TLS_KEY_PATH: setting('', text, 'Its key'),
  GRPC_TLS_CLIENT_CA_PATH: setting('', text, 'Who signs clients; without such a one nobody calls'),
  METRICS_PORT: setting(
    '9464',
    port,
    'Port of /metrics, /livez and /readyz, at GRPC_HOST; 0 picks a free one',
  ),
  WORKERS: setting('1', count, 'Processes that share both ports, about one for each core'),
  BASE_URL: setting('http://localhost:8000', http, 'Public address; the issuer of tokens'),
  ADMIN_URL: setting(
    'http://localhost:9004',
    http,
    'The admin panel, where an administrator’s sign-in ends',
  ),
  ALLOWED_HOSTS: setting(
    '',
    list(host),
    'Hosts that requests may name, commas between; empty: those of BASE_URL, ADMIN_URL; * is any',
  ),
  CORS_ORIGINS: setting(
    'http://localhost:3000,http://localhost:9101',
    list(origin),
    'Pages that may call, beside those of client apps',
  ),
  ADMIN_EMAILS: setting(
    '',
    list(email),
    'Who becomes an administrator at sign-in, commas between them',
  ),
  COOKIE_SECURE: setting('false', flag, 'Cookies travel over https alone; switch on in production'),
  DEBUG: setting(
    'true',
    flag,
    'Docs, reflection, made-up keys, demo tokens; switch off in production',
  ),
  SESSION_SECRET_KEY: setting(
    'daikon-development-secret',
    text,
    'Seals the state of sign-ins; must be set with DEBUG=false',
  ),
  JWT_PRIVATE_KEY_PATH: setting('keys/private.pem', text, 'RSA key that signs tokens'),
  JWT_PUBLIC_KEY_PATH: setting(
    'keys/public.pem',
    text,
    'RSA keys that verify tokens, newest first',
  ),
  ACCESS_TOKEN_EXPIRE_MINUTES: setting('15', count, 'Life of an access token'),
  REFRESH_TOKEN_EXPIRE_DAYS: setting('7', count, 'Life of a session, from sign-in on'),
  ADMIN_TOKEN_EXPIRE_MINUTES: setting(
    '60',
    count,
    'Life of an admin token; its cookie goes after an hour at the latest',
  ),
  SERVICE_KEYS_REQUIRED: setting(
    'false',
    flag,
    'No development mode: a service key is always needed',
  ),
  PERSONAL_WORKSPACES: setting(
    'true',
    flag,
    'Who signs in without any membership gets a workspace',
  ),
  RATE_LIMIT_ENABLED: setting('true', flag, 'false lifts every limit'),
  RATE_LIMIT_PER_MINUTE: setting(
    '30',
    count,
    'Requests a minute of one client over all REST routes',
  ),
  TRUSTED_PROXIES: setting(
    '0',
    natural,
    'How many proxies in front are believed for X-Forwarded-For',
  ),
  GOOGLE_CLIENT_ID: setting('', text, 'Empty: no sign-in with Google'),
  GOOGLE_CLIENT_SECRET: setting('', text, 'Of the client'),
  GOOGLE_ISSUER: setting('https://accounts.google.com', http, 'Where Google is'),
  MICROSOFT_CLIENT_ID: setting('', text, 'Empty: no sign-in with Microsoft'),
  MICROSOFT_CLIENT_SECRET: setting('', text, 'Of the client'),
  MICROSOFT_TENANT: setting(
    'common',
    text,
    'common, organizations, consumers, a tenant’s id or domain',
  ),
  MICROSOFT_ISSUER: setting(
    'https://login.microsoftonline.com/{tenant}/v2.0',
    http,
    'Where Microsoft is',
  ),
  MICROSOFT_TRUST_EMAIL: setting('false', flag, 'Takes a single tenant’s e-mails as verified'),
  GITHUB_CLIENT_ID: setting('', text, 'Empty: no sign-in with GitHub'),
  GITHUB_CLIENT_SECRET: setting('', text, 'Of the client'),
  GITHUB_URL: setting('https://github.com', http, 'Where GitHub is'),
  GITHUB_API_URL: setting('https://api.github.com', http, 'Where its API is'),
  GITHUB_PKCE: setting('false', flag, 'Sends PKCE to GitHub beside the state'),
  LOG_LEVEL: setting(
    'info',
    oneOf('trace', 'debug', 'info', 'warn', 'error'),
    'Least level logged',
  ),
  LOG_FORMAT: setting('json', oneOf('json', 'pretty'), 'json, or pretty for people'),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    '',
    orEmpty(http),
    'OpenTelemetry collector, by OTLP over HTTP; empty: no tracing',
  ),
} as const

/** The settings, each under its variable's name. */
export type Config = {
  [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']>
}

/** Reads the settings from an environment; throws every mistake at once. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const mistakes: string[] = []
  const entries = Object.entries(settings).map(([name, { fallback, parse }]) => {
    const value = environment[name] || fallback
    try {
      return [name, parse(value)]
    } catch (error) {
      mistakes.push(`${name} ${(error as Error).message}`)
      // The rules below go across settings; what can't be read stands there as unset.
      return [name, parse(fallback)]
    }
  })
  const config = Object.fromEntries(entries) as Config
  const weak = config.SESSION_SECRET_KEY === settings.SESSION_SECRET_KEY.fallback
  if (config.DEBUG === false && weak)
    mistakes.push('SESSION_SECRET_KEY must be set with DEBUG=false')
  mistakes.push(...findProviderMistakes(config), ...findTlsMistakes(config))
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return config
}

/** What is wrong with the settings taken together. */
function findTlsMistakes(paths: Config): string[] {
  const { GRPC_TLS_CERT_PATH: certificate, GRPC_TLS_KEY_PATH: key } = paths
  if (certificate && !key) return ['GRPC_TLS_KEY_PATH must be set with GRPC_TLS_CERT_PATH']
  if (key && !certificate) return ['GRPC_TLS_CERT_PATH must be set with GRPC_TLS_KEY_PATH']
  if (paths.GRPC_TLS_CLIENT_CA_PATH && !certificate)
    return ['GRPC_TLS_CLIENT_CA_PATH needs GRPC_TLS_CERT_PATH']
  return []
}
