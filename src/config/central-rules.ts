import { normalizeEmail } from '../core/email.ts'
import { findProductionMistakes } from './production.ts'
import type { CentralSettings } from './settings.ts'

/** Returns a sentence for each rule that the settings of no feature break, starting with a variable. */
export function findCentralMistakes(config: CentralSettings): string[] {
  return [
    ...findProductionMistakes(config),
    ...findReplicaMistakes(config),
    ...findTlsMistakes(config),
    ...findMailMistakes(config),
    ...findExportMistakes(config),
  ]
}

function findReplicaMistakes(config: CentralSettings): string[] {
  const hosts = config.REPLICA_URLS.map((url) => new URL(url).host)
  if (new Set(hosts).size < hosts.length) return ['REPLICA_URLS must list each host once']
  return hosts.length > 0 && config.DATABASE_URL === ''
    ? ['DATABASE_URL must be set if REPLICA_URLS is set']
    : []
}

function findTlsMistakes(config: CentralSettings): string[] {
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

function findMailMistakes({ SMTP_URL: url, SMTP_FROM: from }: CentralSettings): string[] {
  if (url === '' && from === '') return []
  if (from === '') return ['SMTP_FROM must be set if SMTP_URL is set']
  if (url === '') return ['SMTP_URL must be set if SMTP_FROM is set']
  const [, address = from] = /^[^<>\r\n]*<([^<>]+)>$/.exec(from) ?? []
  return normalizeEmail(address) === undefined
    ? ['SMTP_FROM must be an e-mail address, or a name and an address in angle brackets']
    : []
}

function findExportMistakes(config: CentralSettings): string[] {
  return config.DECISION_LOG_OUTPUT === 'otlp' && config.OTEL_EXPORTER_OTLP_ENDPOINT === ''
    ? ['OTEL_EXPORTER_OTLP_ENDPOINT must be set if DECISION_LOG_OUTPUT is otlp']
    : []
}
