import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const installed = join(import.meta.dirname, 'oauth-clients/go/oauth2-proxy')

/** The command of oauth2-proxy; undefined if it is not installed. */
export const oauth2Proxy = [installed, 'oauth2-proxy'].find(
  (command) => spawnSync(command, ['--version']).status === 0,
)

if (!oauth2Proxy)
  console.info('oauth2-proxy is not installed: see test/support/oauth-clients/install')
