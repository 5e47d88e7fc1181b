import { normalizeEmail } from '../core/email.ts'
import { isSecureUrl } from '../core/loopback.ts'
import { defaultQuotas, type Quotas } from '../core/quotas.ts'
import { findProductionMistakes } from './production.ts'
import { findProviderMistakes } from './provider-settings.ts'
import { settings } from './settings.ts'

/** The parsed settings, by the names of their environment variables. */
export type Config = {
  [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']>
}

/**
 * Thrown if the settings are invalid. The message has one line per mistake, starting with the
 * variable.
 */
export class ConfigError extends Error {}

/**
 * Reads the settings from an environment. An unset or empty variable has its default value.
 *
 * @throws {ConfigError} with all mistakes
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const mistakes: string[] = []
  const entries = Object.entries(settings).map(([name, { fallback, parse }]) => {
    try {
      return [name, parse(environment[name] || fallback)]
    } catch (error) {
      mistakes.push(`${name} ${(error as Error).message}`)
      // Use the default, so that the checks that involve several settings can still run.
      return [name, parse(fallback)]
    }
  })
  const parsed = Object.fromEntries(entries) as Config
  const defaultHost = parsed.DEBUG ? '127.0.0.1' : '0.0.0.0'
  const config = {
    ...parsed,
    HTTP_HOST: parsed.HTTP_HOST || defaultHost,
    GRPC_HOST: parsed.GRPC_HOST || defaultHost,
  }
  mistakes.push(
    ...findProductionMistakes(config, settings.SESSION_SECRET_KEY.fallback),
    ...findProviderMistakes(config),
    ...findReplicaMistakes(config),
    ...findTlsMistakes(config),
    ...findVaultMistakes(config),
    ...findMailMistakes(config),
    ...findExportMistakes(config),
  )
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return config
}

/** Returns the quotas among the settings. */
export function readQuotas(config: Config): Quotas {
  const names = Object.keys(defaultQuotas) as (keyof Quotas)[]
  return Object.fromEntries(names.map((name) => [name, config[name]])) as Quotas
}

function findReplicaMistakes(config: Config): string[] {
  const hosts = config.REPLICA_URLS.map((url) => new URL(url).host)
  if (new Set(hosts).size < hosts.length) return ['REPLICA_URLS must list each host once']
  return hosts.length > 0 && config.DATABASE_URL === ''
    ? ['DATABASE_URL must be set if REPLICA_URLS is set']
    : []
}

function findTlsMistakes(config: Config): string[] {
  const hasCertificate = config.GRPC_TLS_CERT_PATH !== ''
  const hasKey = config.GRPC_TLS_KEY_PATH !== ''
  const hasClientCa = config.GRPC_TLS_CLIENT_CA_PATH !== ''
  if (hasCertificate && !hasKey) {
    return ['GRPC_TLS_KEY_PATH must be set if GRPC_TLS_CERT_PATH is set']
  }
  if (hasKey && !hasCertificate) {
    return ['GRPC_TLS_CERT_PATH must be set if GRPC_TLS_KEY_PATH is set']
  }
  if (hasClientCa && !hasCertificate) {
    return ['GRPC_TLS_CERT_PATH must be set if GRPC_TLS_CLIENT_CA_PATH is set']
  }
  return []
}

function findMailMistakes({ SMTP_URL: url, SMTP_FROM: from }: Config): string[] {
  if (url === '' && from === '') return []
  if (from === '') return ['SMTP_FROM must be set if SMTP_URL is set']
  if (url === '') return ['SMTP_URL must be set if SMTP_FROM is set']
  const [, address = from] = /^[^<>\r\n]*<([^<>]+)>$/.exec(from) ?? []
  return normalizeEmail(address) === undefined
    ? ['SMTP_FROM must be an e-mail address, or a name and an address in angle brackets']
    : []
}

function findExportMistakes(config: Config): string[] {
  return config.DECISION_LOG_OUTPUT === 'otlp' && config.OTEL_EXPORTER_OTLP_ENDPOINT === ''
    ? ['OTEL_EXPORTER_OTLP_ENDPOINT must be set if DECISION_LOG_OUTPUT is otlp']
    : []
}

function findVaultMistakes(config: Config): string[] {
  if (config.VAULT_ADDR === '') return []
  const hasToken = (config.VAULT_TOKEN === '') !== (config.VAULT_TOKEN_PATH === '')
  return [
    ...(hasToken ? [] : ['VAULT_TOKEN or VAULT_TOKEN_PATH must be set if VAULT_ADDR is set']),
    ...(isSecureUrl(config.VAULT_ADDR) || config.DEBUG || config.INSECURE_HTTP
      ? []
      : ['VAULT_ADDR must be an https URL if DEBUG is false, unless INSECURE_HTTP is true']),
  ]
}
