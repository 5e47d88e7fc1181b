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

/** A variable that looks like a setting: the setting that was probably meant, and a sentence. */
export type MisspeltSetting = { setting: string; detail: string }

/** Finds the variables of the environment whose names look like those of `settings`, misspelt. */
export function findMisspeltSettings(
  environment: Record<string, string | undefined>,
  settings: string[],
): MisspeltSetting[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === '' || settings.includes(name)) return []
    const plain = name.replace(/^DAIKON_/, '')
    // Most variables look like no setting, and a comparison takes quadratic time.
    const isNear = ({ length }: string) => Math.abs(length - plain.length) <= maxEdits
    const isOwn = hasOwnPrefix(name)
    const [setting] = nearestNames(plain, isOwn ? settings : settings.filter(isNear), 1)
    if (setting === undefined || !(isOwn || isSimilar(name, setting))) return []
    const detail = `${name} is not a setting and has no effect: did you mean ${setting}?`
    return [{ setting, detail }]
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
