import { defaultQuotas, type QuotaName } from '../core/quotas.ts'
import {
  databaseUrl,
  dnsServer,
  email,
  encryptionKey,
  flag,
  fraction,
  host,
  hostPattern,
  list,
  oneOf,
  optional,
  optionalNumber,
  optionalWholeNumber,
  origin,
  port,
  positiveNumber,
  text,
  url,
  wholeNumber,
} from './parsers.ts'

/**
 * A setting: its default (used if the variable is unset or empty), its parser and its
 * documentation.
 */
export type Setting<Value> = {
  fallback: string
  parse: (text: string) => Value
  description: string
}

const http = url('http', 'https')

/** The settings by the names of their environment variables. */
export const settings = {
  DATABASE_URL: setting(
    '',
    optional(databaseUrl),
    'URL of the PostgreSQL database. If it lists several hosts, daikon uses the one that accepts writes: postgresql://user:password@host1:5432,host2:5432/daikon?target_session_attrs=read-write. Empty: starts a bundled PostgreSQL in DATA_DIR.',
  ),
  REPLICA_URLS: setting(
    '',
    list(url('postgres', 'postgresql')),
    'Comma-separated URLs of standbys of the database (streaming replication). They serve checks and lists, whose results include every change that was acknowledged before the request. The list may include the primary, which is skipped. The user must be a member of pg_read_all_stats. Empty: the primary serves checks and lists.',
  ),
  DATA_DIR: setting('.daikon', text, 'Directory of the bundled PostgreSQL.'),
  REDIS_URL: setting(
    '',
    list(url('redis', 'rediss')),
    'URL of the Redis server that counts rate limits; for Redis Cluster, a comma-separated list of nodes. Empty: each process counts its own.',
  ),
  HTTP_HOST: setting(
    '',
    text,
    'Address that the REST server listens on. Empty: 127.0.0.1 if DEBUG is true, else 0.0.0.0, which is every interface.',
  ),
  HTTP_PORT: setting('8000', port, 'Port of the REST server. 0 picks a free port.'),
  GRPC_HOST: setting(
    '',
    text,
    'Address that the gRPC and metrics servers listen on. Empty: 127.0.0.1 if DEBUG is true, else 0.0.0.0, which is every interface.',
  ),
  GRPC_PORT: setting('50051', port, 'Port of the gRPC server. 0 picks a free port.'),
  GRPC_ADDRESS: setting(
    '',
    text,
    'Host and port at which services reach the gRPC server, for the examples in the admin console. Empty: the host of BASE_URL with GRPC_PORT.',
  ),
  GRPC_TLS_CERT_PATH: setting(
    '',
    text,
    'PEM file with the certificate chain of the gRPC server. Empty: gRPC is served in plaintext.',
  ),
  GRPC_TLS_KEY_PATH: setting(
    '',
    text,
    'PEM file with the private key of the gRPC server certificate. If DEBUG is false, only its owner may be able to read it, or its group if it belongs to root.',
  ),
  GRPC_TLS_CLIENT_CA_PATH: setting(
    '',
    text,
    'PEM file with the CA that signs client certificates. If set, gRPC clients must present a certificate (mutual TLS).',
  ),
  METRICS_PORT: setting(
    '9464',
    port,
    'Port of the metrics server: /metrics, /livez and /readyz. 0 picks a free port.',
  ),
  CONSOLE_ENABLED: setting('true', flag, 'Serves the admin console.'),
  CONSOLE_PORT: setting(
    '9004',
    port,
    'Port of the admin console, on the address HTTP_HOST. 0 picks a free port. Set ADMIN_URL to the URL at which browsers reach it.',
  ),
  WORKERS: setting(
    '1',
    positiveNumber,
    'Number of worker processes that share the ports; use about one per CPU core.',
  ),
  BASE_URL: setting(
    'http://localhost:8000',
    http,
    'Public URL of the REST server. It is also the issuer of tokens.',
  ),
  ADMIN_URL: setting(
    'http://localhost:9004',
    http,
    'Public URL of the admin console. Administrators return to it after sign-in; no other origin may call the admin API.',
  ),
  ALLOWED_HOSTS: setting(
    '',
    list(host),
    'Comma-separated host names accepted in the Host header. Empty: the hosts of BASE_URL and ADMIN_URL. * accepts any host.',
  ),
  CORS_ORIGINS: setting(
    'http://localhost:3000,http://localhost:9101',
    list(origin),
    'Comma-separated origins that may call the REST API from a browser, in addition to the origins of client apps.',
  ),
  WEBHOOK_ALLOWED_HOSTS: setting(
    '',
    list(hostPattern),
    'Comma-separated host names, IP addresses and CIDR ranges on the private network that may receive webhooks. Private, loopback and link-local addresses are refused otherwise, except loopback if DEBUG is true.',
  ),
  CONNECTION_ALLOWED_HOSTS: setting(
    '',
    list(hostPattern),
    'Comma-separated host names, IP addresses and CIDR ranges on the private network that may be the identity provider of a connection. Private, loopback and link-local addresses are refused otherwise, except loopback if DEBUG is true.',
  ),
  DNS_SERVERS: setting(
    '',
    list(dnsServer),
    'Comma-separated IP addresses of the DNS servers, each with an optional port such as 10.0.0.2:53, that are asked for the domains and identity providers of connections. Empty: those of the system.',
  ),
  BACKCHANNEL_ALLOWED_HOSTS: setting(
    '',
    list(hostPattern),
    'Comma-separated host names, IP addresses and CIDR ranges on the private network that may be the back-channel logout URI of a client app. Private, loopback and link-local addresses are refused otherwise, except loopback if DEBUG is true.',
  ),
  SMTP_URL: setting(
    '',
    optional(url('smtp', 'smtps')),
    'URL of the mail server that sends invitations, such as smtps://user:password@mail.example.com. Empty: the response to an invitation contains its link.',
  ),
  SMTP_FROM: setting(
    '',
    text,
    'Sender of e-mails, such as Example <no-reply@example.com>. Required if SMTP_URL is set.',
  ),
  ADMIN_EMAILS: setting(
    '',
    list(email),
    'Comma-separated e-mail addresses of users who become administrators when they sign in.',
  ),
  COOKIE_SECURE: setting(
    'false',
    flag,
    'Sends cookies over https only. Required if DEBUG is false, except on loopback hosts.',
  ),
  INSECURE_HTTP: setting(
    'false',
    flag,
    'Allows http for BASE_URL and ADMIN_URL, and COOKIE_SECURE=false, if DEBUG is false. Tokens and cookies are then sent unencrypted.',
  ),
  DEBUG: setting(
    'true',
    flag,
    'Enables API documentation, gRPC reflection, generated keys and demo tokens. Set to false in production.',
  ),
  SESSION_SECRET_KEY: setting(
    'daikon-development-secret',
    text,
    'Secret that encrypts the state of sign-ins. Required if DEBUG is false, with at least 32 bytes.',
  ),
  SECRETS_ENCRYPTION_KEY: setting(
    '',
    list(encryptionKey),
    'Comma-separated keys of 32 bytes in base64 that encrypt secrets in the database, such as those of webhooks and connections. The first encrypts, all decrypt. The same for all nodes. Empty: the file secrets-key in DATA_DIR, if it exists; without a key, webhooks and connections cannot be created.',
  ),
  JWT_PRIVATE_KEY_PATH: setting(
    'keys/private.pem',
    text,
    'PEM file with the RSA private key that signs tokens. If DEBUG is false, only its owner may be able to read it, or its group if it belongs to root.',
  ),
  JWT_PUBLIC_KEY_PATH: setting(
    'keys/public.pem',
    text,
    'PEM file with the RSA public keys that verify tokens, newest first.',
  ),
  VAULT_ADDR: setting(
    '',
    optional(http),
    'URL of HashiCorp Vault or OpenBao, whose transit secrets engine signs tokens. Empty: the keys are in the files above.',
  ),
  VAULT_TOKEN: setting('', text, 'Token for Vault.'),
  VAULT_TOKEN_PATH: setting(
    '',
    text,
    'File with the token for Vault, such as a sink of Vault Agent. It is read for every request.',
  ),
  VAULT_NAMESPACE: setting('', text, 'Namespace in Vault.'),
  VAULT_TRANSIT_MOUNT: setting('transit', text, 'Path of the transit secrets engine in Vault.'),
  VAULT_TRANSIT_KEY: setting('daikon', text, 'Name of the RSA key in Vault.'),
  DRAIN_DELAY_SECONDS: setting(
    '0',
    wholeNumber,
    'Seconds between SIGTERM and the drain, in which the node is not ready but accepts calls. Then idle REST connections are kept that long, at least a second, so that proxies close them first.',
  ),
  RELOAD_INTERVAL_SECONDS: setting(
    '10',
    positiveNumber,
    'Seconds between checks whether signing keys and certificates have changed. SIGHUP checks immediately.',
  ),
  ACCESS_TOKEN_EXPIRE_MINUTES: setting(
    '15',
    positiveNumber,
    'Lifetime of an access token, in minutes.',
  ),
  REFRESH_TOKEN_EXPIRE_DAYS: setting(
    '7',
    positiveNumber,
    'Lifetime of a session, in days from sign-in.',
  ),
  ADMIN_TOKEN_EXPIRE_MINUTES: setting(
    '60',
    positiveNumber,
    'Lifetime of an admin token, in minutes. Its cookie expires after at most an hour.',
  ),
  ADMIN_MAX_AGE_MINUTES: setting(
    '',
    optionalNumber,
    'Minutes that may pass between the sign-in of an administrator at the identity provider and any use of the admin API. Requires a provider that reports the time of the sign-in (`auth_time`). Empty: no limit beyond the lifetime of the admin token.',
  ),
  ADMIN_REQUIRED_AMR: setting(
    '',
    list(text),
    'Comma-separated authentication methods, such as mfa or hwk. Administrators must sign in with one of them, as reported by the identity provider (`amr`). Empty: any method.',
  ),
  SERVICE_KEYS_REQUIRED: setting(
    'false',
    flag,
    'Requires a service key even if no service app is active. If false and no service app is active, requests are accepted with any service key, or none (development mode).',
  ),
  ACTIVITY_RECORD_IP: setting(
    'true',
    flag,
    'Records the IP address of the client with each entry of the activity log.',
  ),
  ACTIVITY_RETENTION_DAYS: setting(
    '',
    optionalNumber,
    'Days after which entries of the activity log are deleted. Empty: never.',
  ),
  PERSONAL_WORKSPACES: setting(
    'true',
    flag,
    'Creates a workspace for each user who signs in without having joined one.',
  ),
  MAX_SESSIONS_PER_USER: setting(
    '50',
    positiveNumber,
    'Maximum number of sessions of a user. A further sign-in ends the oldest one.',
  ),
  MAX_WORKSPACES_PER_USER: quota(
    'MAX_WORKSPACES_PER_USER',
    'Maximum number of workspaces that a user owns and can create. Invitations do not count.',
  ),
  MAX_MEMBERS_PER_WORKSPACE: quota(
    'MAX_MEMBERS_PER_WORKSPACE',
    'Maximum number of members of a workspace, including pending invitations.',
  ),
  MAX_PENDING_INVITATIONS_PER_WORKSPACE: quota(
    'MAX_PENDING_INVITATIONS_PER_WORKSPACE',
    'Maximum number of pending invitations of a workspace: members who have not joined yet.',
  ),
  MAX_GROUPS_PER_WORKSPACE: quota(
    'MAX_GROUPS_PER_WORKSPACE',
    'Maximum number of groups of a workspace.',
  ),
  MAX_SERVICE_ACCOUNTS_PER_WORKSPACE: quota(
    'MAX_SERVICE_ACCOUNTS_PER_WORKSPACE',
    'Maximum number of service accounts of a workspace. They do not count as members.',
  ),
  MAX_RESOURCES_PER_WORKSPACE: quota(
    'MAX_RESOURCES_PER_WORKSPACE',
    'Maximum number of registered resources of a workspace.',
  ),
  MAX_SHARES_PER_RESOURCE: quota(
    'MAX_SHARES_PER_RESOURCE',
    'Maximum number of users and groups that a resource is shared with.',
  ),
  MAX_LINKS_PER_RESOURCE: quota('MAX_LINKS_PER_RESOURCE', 'Maximum number of links to a resource.'),
  RATE_LIMIT_ENABLED: setting('true', flag, 'Enforces rate limits. false disables all of them.'),
  RATE_LIMIT_PER_MINUTE: setting(
    '30',
    positiveNumber,
    'Requests per minute that a client may make across all REST routes.',
  ),
  RATE_LIMIT_ADMIN_PER_MINUTE: setting(
    '',
    optionalNumber,
    'Requests per minute that each signed-in administrator may make to the admin routes, from any address. Empty: they count against RATE_LIMIT_PER_MINUTE of their address.',
  ),
  SERVICE_RATE_LIMIT_PER_MINUTE: setting(
    '',
    optionalWholeNumber,
    'REST requests per minute that each valid service key may make, from any address; 0 for any number. Empty: they count against RATE_LIMIT_PER_MINUTE of their address, which stops a backend that uses REST.',
  ),
  USER_RATE_LIMIT_PER_MINUTE: setting(
    '',
    optionalNumber,
    'REST requests per minute that each user may make with an access token, from any address. Empty: they count against RATE_LIMIT_PER_MINUTE of their address, which an office shares.',
  ),
  TRUSTED_PROXIES: setting(
    '0',
    wholeNumber,
    'Number of reverse proxies in front of the REST and gRPC servers whose X-Forwarded-For entries are trusted. 0 ignores them. Callers must not reach the servers past the proxies, because they could send any address.',
  ),
  MAX_UNFINISHED_MESSAGE_BYTES: setting(
    '67108864',
    positiveNumber,
    'Maximum size in bytes of all messages of a worker that have not arrived completely, for gRPC and for REST separately. Above it, gRPC resets the largest message of the connection with the most bytes. REST rejects the largest body, starting with public routes.',
  ),
  MAX_TOKEN_CACHE_BYTES: setting(
    '33554432',
    positiveNumber,
    'Maximum size in bytes of the cache of verified tokens of a worker.',
  ),
  MAX_FACTS_CACHE_BYTES: setting(
    '67108864',
    wholeNumber,
    "Maximum size in bytes of a worker's cache for checks and lists. A cached entry is used only after PostgreSQL has confirmed that it has not changed. 0 disables the cache.",
  ),
  GOOGLE_CLIENT_ID: setting(
    '',
    text,
    'OAuth client ID at Google. Empty: sign-in with Google is disabled.',
  ),
  GOOGLE_CLIENT_SECRET: setting('', text, 'OAuth client secret at Google.'),
  GOOGLE_ISSUER: setting('https://accounts.google.com', http, 'OpenID Connect issuer of Google.'),
  MICROSOFT_CLIENT_ID: setting(
    '',
    text,
    'OAuth client ID at Microsoft. Empty: sign-in with Microsoft is disabled.',
  ),
  MICROSOFT_CLIENT_SECRET: setting('', text, 'OAuth client secret at Microsoft.'),
  MICROSOFT_TENANT: setting(
    'common',
    text,
    'Microsoft Entra tenant: its ID or domain, or common, organizations or consumers.',
  ),
  MICROSOFT_ISSUER: setting(
    'https://login.microsoftonline.com/{tenant}/v2.0',
    http,
    'OpenID Connect issuer of Microsoft. {tenant} is replaced by MICROSOFT_TENANT.',
  ),
  MICROSOFT_TRUST_EMAIL: setting(
    'false',
    flag,
    'Treats the e-mail addresses of a single tenant as verified. Not allowed for common, organizations and consumers.',
  ),
  GITHUB_CLIENT_ID: setting(
    '',
    text,
    'OAuth client ID at GitHub. Empty: sign-in with GitHub is disabled.',
  ),
  GITHUB_CLIENT_SECRET: setting('', text, 'OAuth client secret at GitHub.'),
  GITHUB_URL: setting(
    'https://github.com',
    http,
    'URL of GitHub, or of a GitHub Enterprise server.',
  ),
  GITHUB_API_URL: setting('https://api.github.com', http, 'URL of the GitHub REST API.'),
  GITHUB_PKCE: setting('false', flag, 'Uses PKCE with GitHub, in addition to the state parameter.'),
  LOG_LEVEL: setting(
    'info',
    oneOf('trace', 'debug', 'info', 'warn', 'error'),
    'Minimum level of log lines: trace, debug, info, warn or error.',
  ),
  LOG_FORMAT: setting('json', oneOf('json', 'pretty'), 'Format of log lines: json or pretty.'),
  DECISION_LOG: setting(
    'off',
    oneOf('off', 'denied', 'all'),
    'Decisions that are logged, whatever LOG_LEVEL is: off, denied or all.',
  ),
  DECISION_LOG_SAMPLE: setting(
    '1',
    fraction,
    'Share of the decisions of DECISION_LOG that is logged, 0 to 1.',
  ),
  DECISION_LOG_OUTPUT: setting(
    'stdout',
    oneOf('stdout', 'otlp'),
    'Where logged decisions go: stdout, or otlp for log records to the collector.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    '',
    optional(http),
    'URL of an OpenTelemetry collector that receives traces, metrics and logged decisions (OTLP over HTTP). Empty: nothing is exported.',
  ),
  OTEL_METRICS_EXPORTER: setting(
    'otlp',
    oneOf('otlp', 'none'),
    'otlp exports metrics to the collector, none does not. The metrics server always serves them.',
  ),
  OTEL_METRIC_EXPORT_INTERVAL: setting(
    '60000',
    positiveNumber,
    'Milliseconds between exports of metrics.',
  ),
  OTEL_SERVICE_NAME: setting(
    'daikon',
    text,
    'Name of this service in traces, exported metrics and exported decisions.',
  ),
  DEMO_PORT: setting(
    '9101',
    port,
    'Port of the demo application; npm run dev only. 0 picks a free port, as npm run dev does for every port in use.',
  ),
  DOCS_PORT: setting(
    '9102',
    port,
    'Port of the documentation site; npm run dev in the repository only. 0 picks a free port.',
  ),
  MOCK_PROVIDERS_PORT: setting(
    '0',
    port,
    'Port of the mock identity providers; npm run dev only. 0 picks a free port.',
  ),
  MOCK_MAILBOX_PORT: setting(
    '0',
    port,
    'Port of the page that displays e-mails; npm run dev only. 0 picks a free port.',
  ),
} as const

function quota(name: QuotaName, description: string): Setting<number> {
  return setting(String(defaultQuotas[name]), positiveNumber, description)
}

function setting<Value>(
  fallback: string,
  parse: (text: string) => Value,
  description: string,
): Setting<Value> {
  return { fallback, parse, description }
}
