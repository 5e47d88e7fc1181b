import { editDistance, nearestNames } from '../core/nearest-names.ts'

/** Names with up to this many edits look like a misspelt setting. */
const maxEdits = 2

/** In shorter names, two edits are a different word. */
const minLengthForTwoEdits = 6

/**
 * Prefixes of settings that other programs rarely use. HTTP_, GITHUB_, GOOGLE_, OTEL_ and VAULT_ are
 * missing: HTTP_PROXY and GITHUB_TOKEN, for example, are common.
 */
const prefixes = [
  'ACCESS_TOKEN_',
  'ACTIVITY_',
  'ADMIN_',
  'CONSOLE_',
  'COOKIE_',
  'CORS_',
  'GITHUB_CLIENT_',
  'GOOGLE_CLIENT_',
  'GRPC_TLS_',
  'JWT_',
  'MAX_',
  'METRICS_',
  'MICROSOFT_',
  'MOCK_PROVIDERS_',
  'RATE_LIMIT_',
  'REFRESH_TOKEN_',
  'REPLICA_',
  'SERVICE_KEYS_',
  'SERVICE_RATE_',
  'USER_RATE_',
]

/** Variables that Kubernetes adds to each container for every service. */
const kubernetesVariable = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT(_\d+_(TCP|UDP)(_\w+)?)?$/

/**
 * Returns a sentence for each variable of the environment that looks like one of the `known` settings,
 * misspelt.
 */
export function findMisspeltSettings(
  environment: Record<string, string | undefined>,
  known: string[],
): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === '' || known.includes(name)) return []
    const [nearest = ''] = nearestNames(name.replace(/^DAIKON_/, ''), known, 1)
    return isSimilar(name, nearest) || hasOwnPrefix(name)
      ? [`${name} is not a setting and has no effect: did you mean ${nearest}?`]
      : []
  })
}

function isSimilar(name: string, setting: string): boolean {
  if (name === `DAIKON_${setting}`) return true
  const edits = editDistance(name.toUpperCase(), setting)
  return edits <= (setting.length < minLengthForTwoEdits ? 1 : maxEdits)
}

function hasOwnPrefix(name: string): boolean {
  return prefixes.some((prefix) => name.startsWith(prefix)) && !kubernetesVariable.test(name)
}
