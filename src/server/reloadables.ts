import type { Logger } from '../core/logger.ts'
import type { GrpcTls } from '../grpc/server.ts'
import { openKeys } from '../identity/key-source.ts'
import type { Config } from './config.ts'
import { openGrpcTls, readCertificateExpiry } from './grpc-tls.ts'
import { createReloadable } from './reload.ts'

/**
 * Opens what a node reads again while it runs: the signing keys and, if gRPC uses TLS, its
 * certificates. Calls `onTlsChange` with new ones.
 */
export async function openReloadables(
  config: Config,
  log: Logger,
  onTlsChange: (tls: GrpcTls) => void,
) {
  const keys = await createReloadable({ name: 'signing keys', source: openKeys(config), log })
  const source = openGrpcTls(config)
  const tls =
    source &&
    (await createReloadable({ name: 'gRPC certificates', source, log, onChange: onTlsChange }))
  const all = tls ? [keys, tls] : [keys]
  return {
    currentKeys: keys.current,
    currentTls: () => tls?.current(),
    states: all.map(({ state }) => state),
    readSigningKey() {
      const { signer, createdAt } = keys.current()
      return { kid: signer.kid, createdAt }
    },
    readCertificateExpiry: () => (tls ? readCertificateExpiry(tls.current()) : {}),
    async reload(): Promise<void> {
      await Promise.all(all.map((reloadable) => reloadable.reload()))
    },
  }
}
