import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { readEncryptionKeys } from '../../config/encryption-keys.ts'
import { expect } from '../../core/deployment-checks.ts'
import { loadKeys } from '../../identity/key-source.ts'
import { listSignInMethods } from '../../identity/providers/sign-in-methods.ts'
import type { Config } from '../../server/config.ts'
import { checkGrpcTls } from '../../server/grpc-tls.ts'
import type { Check } from './check.ts'

const day = 86_400_000

/** Five REST requests per second, below which a limit stops an ordinary backend. */
const minServiceLimit = 300

/** More proxies in front of each other than an installation has. */
const maxProxies = 5

/** The checks that need neither the database nor other servers. */
export function configurationChecks(config: Config): Record<string, Check> {
  return {
    debug: () => expect(!config.DEBUG, 'DEBUG is false', 'DEBUG is true: set it to false'),
    https: () => {
      const insecure = [
        !config.BASE_URL.startsWith('https:') && 'BASE_URL',
        !config.COOKIE_SECURE && 'COOKIE_SECURE',
      ].filter(Boolean)
      return expect(
        insecure.length === 0,
        'the public URL and cookies use https',
        `${insecure.join(' and ')} must be for https`,
      )
    },
    'base URL': () => {
      const { pathname } = new URL(config.BASE_URL)
      return expect(
        pathname === '/',
        'has no path',
        `BASE_URL has the path ${pathname}, but routes, cookies and metadata are at the root of its host: remove the path`,
      )
    },
    proxies: () => {
      const { TRUSTED_PROXIES: count } = config
      return expect(
        count > 0 && count <= maxProxies,
        `${count} trusted`,
        count === 0
          ? 'TRUSTED_PROXIES is 0: behind a proxy, all clients share one address and its rate limit'
          : `TRUSTED_PROXIES is ${count}: with more than there are, clients choose the address that is limited and recorded`,
      )
    },
    'service keys': () =>
      expect(
        config.SERVICE_KEYS_REQUIRED,
        'required',
        'SERVICE_KEYS_REQUIRED is false: without an active service app, every caller is accepted',
      ),
    providers: () => {
      const methods = listSignInMethods(config)
      return expect(
        methods.length > 0,
        methods.join(', '),
        'nobody can sign in: set GOOGLE_CLIENT_ID, MICROSOFT_CLIENT_ID, GITHUB_CLIENT_ID or OIDC_CLIENT_ID',
      )
    },
    'client secrets': () => {
      const missing = (['GOOGLE', 'MICROSOFT', 'GITHUB', 'OIDC'] as const)
        .filter((name) => config[`${name}_CLIENT_ID`] && !config[`${name}_CLIENT_SECRET`])
        .map((name) => `${name}_CLIENT_SECRET`)
      return expect(
        missing.length === 0,
        'set',
        `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} empty: the provider will reject every sign-in`,
      )
    },
    'rate limits': () =>
      expect(
        config.RATE_LIMIT_ENABLED,
        `${config.RATE_LIMIT_PER_MINUTE} requests per minute and address`,
        'RATE_LIMIT_ENABLED is false: sign-in and tokens can be attacked by brute force',
      ),
    'service limits': () => {
      const limit = config.SERVICE_RATE_LIMIT_PER_MINUTE
      const stopped = 'services that use REST are stopped beyond it'
      const isHigh = limit === 0 || (limit ?? 0) >= minServiceLimit
      return expect(
        isHigh || !config.RATE_LIMIT_ENABLED,
        limit ? `${limit} requests per minute and service key` : 'none',
        limit === undefined
          ? `SERVICE_RATE_LIMIT_PER_MINUTE is not set: a backend may make ${config.RATE_LIMIT_PER_MINUTE} REST requests per minute, and ${stopped}`
          : `SERVICE_RATE_LIMIT_PER_MINUTE is ${limit}, less than ${minServiceLimit}: ${stopped}`,
      )
    },
    'signing keys': async () => {
      const keys = await loadKeys(config)
      const createdAt = keys.createdAt ?? statSync(config.JWT_PRIVATE_KEY_PATH).mtime
      const age = Math.floor((Date.now() - createdAt.getTime()) / day)
      return expect(
        age < 365,
        `${keys.verifying.size} for verification, the newest ${age} days old`,
        `the signing key is ${age} days old: run \`daikon keys rotate --schedule\` regularly`,
      )
    },
    'secrets key': () => {
      const { length } = readEncryptionKeys(config)
      return expect(
        length > 0,
        length === 1 ? 'set' : `1 that encrypts, ${length - 1} that only decrypt`,
        'SECRETS_ENCRYPTION_KEY is empty: webhooks and connections cannot be created; set it to the output of `openssl rand -base64 32`',
      )
    },
    'gRPC certificate': async () => {
      await checkGrpcTls(config)
      if (config.GRPC_TLS_CERT_PATH === '') return 'none: gRPC is plain text, for a private network'
      const { validToDate } = new X509Certificate(readFileSync(config.GRPC_TLS_CERT_PATH))
      const days = Math.floor((validToDate.getTime() - Date.now()) / day)
      return expect(days >= 14, `valid for ${days} days`, `expires in ${days} days: renew it`)
    },
  }
}
