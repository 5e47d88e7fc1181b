import { statSync } from 'node:fs'
import { platform, userInfo } from 'node:os'
import { isLoopbackUrl } from '../core/loopback.ts'

/** The settings that must be safe if DEBUG is false. `settings` documents each of them. */
export type ProductionSettings = {
  DEBUG: boolean
  BASE_URL: string
  ADMIN_URL: string
  COOKIE_SECURE: boolean
  INSECURE_HTTP: boolean
  GRPC_TLS_KEY_PATH: string
}

/** Returns a sentence for each setting that is unsafe in production, starting with its variable. */
export function findProductionMistakes(settings: ProductionSettings): string[] {
  if (settings.DEBUG) return []
  return [
    ...findFileMistakes({ GRPC_TLS_KEY_PATH: settings.GRPC_TLS_KEY_PATH }),
    ...(settings.INSECURE_HTTP ? [] : findHttpMistakes(settings)),
  ]
}

/** Returns a sentence for each file that users other than its owner can read, by its setting. */
export function findFileMistakes(paths: Record<string, string>): string[] {
  return Object.entries(paths).flatMap(([name, path]) =>
    path !== '' && isReadableByOthers(path)
      ? [`${name} must be readable by its owner only: run chmod 600 ${path}`]
      : [],
  )
}

/**
 * Returns whether users other than the owner can read a file. False for a missing file, which is
 * reported when it is read.
 *
 * As in PostgreSQL, the group may read a file of root, because Kubernetes mounts secrets that way. If
 * this process runs as root, that holds only for groups other than root's own: operators run commands as
 * root beside a server that runs as another user.
 */
export function isReadableByOthers(path: string): boolean {
  // Windows has no such permission bits, and Node.js reports every file as readable by everyone.
  if (platform() === 'win32') return false
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return false
  const mayGroupRead = stats.uid === 0 && (!isRoot() || stats.gid !== 0)
  return (stats.mode & (mayGroupRead ? 0o004 : 0o044)) !== 0
}

function isRoot(): boolean {
  try {
    return userInfo().uid === 0
  } catch {
    // Containers may run as a user without an entry in /etc/passwd.
    return false
  }
}

function findHttpMistakes(settings: ProductionSettings): string[] {
  const urls = (['BASE_URL', 'ADMIN_URL'] as const).filter((name) => !isLoopbackUrl(settings[name]))
  const mistakes = urls
    .filter((name) => new URL(settings[name]).protocol === 'http:')
    .map((name) => `${name} must be an https URL if DEBUG is false, unless INSECURE_HTTP is true`)
  if (urls.length > 0 && !settings.COOKIE_SECURE) {
    mistakes.push('COOKIE_SECURE must be true if DEBUG is false, unless INSECURE_HTTP is true')
  }
  return mistakes
}
