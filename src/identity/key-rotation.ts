import { createPrivateKey, createPublicKey } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createKeyPair, type KeyPaths, replaceFile } from './keys.ts'
import {
  formatPublicKeys,
  type PublicKeyEntry,
  parsePublicKeys,
  thumbprint,
} from './public-key-file.ts'

/** When the steps of a rotation are due, in milliseconds. */
export type RotationSchedule = {
  /** The time for which a key signs before another key replaces it. */
  maxAge: number
  /**
   * The time after which every node and every client that caches keys has loaded a published key.
   */
  publicationTime: number
  /** The time after which no token of a replaced key is valid any longer. */
  retention: number
}

export type RotationStep = { action: 'published' | 'activated' | 'dropped'; kid: string }

/** The stage of a key in its rotation. */
export type KeyState = 'next' | 'signing' | 'retired'

export type ListedKey = Omit<PublicKeyEntry, 'key'> & { state: KeyState }

/** The content of the key files. */
type KeyFiles = { entries: PublicKeyEntry[]; signingKid: string; nextKid: string | undefined }

/** Milliseconds after which a lock is assumed to belong to a process that was killed. */
const lockLifetime = 60_000

/**
 * Performs the steps of a rotation that are due:
 *
 * 1. When the signing key reaches its maximum age, creates a new key and publishes its public half.
 * 2. When all nodes and clients have loaded the new key, signs with it.
 * 3. When no token of the replaced key is valid any longer, drops that key.
 *
 * All state is in the files, so that any process can perform the next step. Each file is replaced
 * atomically, and a step that was interrupted is completed by the next call.
 *
 * Returns the performed steps and the time of the next one.
 *
 * @throws {KeysLockedError} if another process is changing the files
 */
export function advanceRotation(
  paths: KeyPaths,
  schedule: RotationSchedule,
  now: Date,
): { steps: RotationStep[]; nextStepAt: Date } {
  return withLock(paths, () => {
    const steps: RotationStep[] = []
    const after = (date: Date | undefined, time: number) => (date ?? now).getTime() + time
    const isDue = (date: Date | undefined, time: number) => after(date, time) <= now.getTime()

    let files = completeDates(readKeyFiles(paths), paths, now)
    const next = files.entries.find(({ kid }) => kid === files.nextKid)
    if (next && isDue(next.published, schedule.publicationTime)) {
      renameSync(nextPathOf(paths), paths.privatePath)
      files = completeDates(readKeyFiles(paths, files.entries), paths, now)
      steps.push({ action: 'activated', kid: next.kid })
    }

    for (const { kid, retired } of files.entries) {
      if (retired && isDue(retired, schedule.retention)) steps.push({ action: 'dropped', kid })
    }
    const dropped = steps.flatMap(({ action, kid }) => (action === 'dropped' ? [kid] : []))
    let entries = files.entries.filter(({ kid }) => !dropped.includes(kid))

    const signing = entries.find(({ kid }) => kid === files.signingKid)
    if (files.nextKid === undefined && isDue(signing?.signing, schedule.maxAge)) {
      const { privateKey, entry } = createKeyPair(now)
      replaceFile(nextPathOf(paths), privateKey, paths.privatePath)
      entries = [entry, ...entries]
      steps.push({ action: 'published', kid: entry.kid })
    }
    writePublicKeys(paths, entries)

    const times = entries.map(({ kid, published, signing, retired }) => {
      if (retired) return after(retired, schedule.retention)
      if (kid !== files.signingKid) return after(published, schedule.publicationTime)
      return after(signing, schedule.maxAge)
    })
    const future = times.filter((time) => time > now.getTime())
    return { steps, nextStepAt: new Date(Math.min(...future)) }
  })
}

/**
 * Replaces the private key immediately and adds the new public key in front of the old ones, which
 * continue to verify tokens. Returns the number of old keys.
 *
 * The public file is replaced first, so that no node signs with a key that it cannot verify.
 */
export function rotateKeys(paths: KeyPaths, now = new Date()): number {
  return withLock(paths, () => {
    const { entries } = completeDates(readKeyFiles(paths), paths, now)
    const { privateKey, entry } = createKeyPair(now)
    const retired = entries.map((key) => ({ ...key, retired: key.retired ?? now }))
    writePublicKeys(paths, [{ ...entry, signing: now }, ...retired])
    replaceFile(paths.privatePath, privateKey)
    // A key that was published for a scheduled rotation is no longer needed.
    rmSync(nextPathOf(paths), { force: true })
    return entries.length
  })
}

/**
 * Removes a key and thereby invalidates all tokens that it signed. Never removes the signing key.
 */
export function dropKey(paths: KeyPaths, kid: string): 'dropped' | 'signing' | 'unknown' {
  return withLock(paths, () => {
    const { entries, signingKid, nextKid } = readKeyFiles(paths)
    if (kid === signingKid) return 'signing'
    const remaining = entries.filter((entry) => entry.kid !== kid)
    if (remaining.length === entries.length) return 'unknown'
    if (kid === nextKid) rmSync(nextPathOf(paths))
    writePublicKeys(paths, remaining)
    return 'dropped'
  })
}

/** Lists the keys in the order of the file. */
export function listKeys(paths: KeyPaths): ListedKey[] {
  const { entries, signingKid, nextKid } = readKeyFiles(paths)
  return entries.map(({ key: _, ...entry }) => {
    const other = entry.kid === nextKid ? 'next' : 'retired'
    return { ...entry, state: entry.kid === signingKid ? 'signing' : other }
  })
}

function readKeyFiles(paths: KeyPaths, published?: PublicKeyEntry[]): KeyFiles {
  const entries = published ?? parsePublicKeys(readFileSync(paths.publicPath, 'utf8'))
  const signingKid = thumbprint(readPublicKey(paths.privatePath))
  if (!existsSync(nextPathOf(paths))) return { entries, signingKid, nextKid: undefined }
  const key = readPublicKey(nextPathOf(paths))
  const nextKid = thumbprint(key)
  // If it is not, the process that created the key ended before it published the key.
  const isPublished = entries.some(({ kid }) => kid === nextKid)
  return {
    signingKid,
    nextKid,
    entries: isPublished ? entries : [{ kid: nextKid, key }, ...entries],
  }
}

/**
 * Adds the dates that are missing because a step was interrupted or another program wrote the file.
 */
function completeDates(files: KeyFiles, { privatePath }: KeyPaths, now: Date): KeyFiles {
  const { entries, signingKid, nextKid } = files
  return {
    ...files,
    entries: entries.map((entry) => {
      if (entry.kid === nextKid) return { ...entry, published: entry.published ?? now }
      if (entry.kid !== signingKid) return { ...entry, retired: entry.retired ?? now }
      const published = entry.published ?? statSync(privatePath).mtime
      const hasDates = entry.published !== undefined
      return { ...entry, published, signing: entry.signing ?? (hasDates ? now : published) }
    }),
  }
}

function writePublicKeys({ publicPath }: KeyPaths, entries: PublicKeyEntry[]): void {
  const text = formatPublicKeys(entries)
  if (text !== readFileSync(publicPath, 'utf8')) replaceFile(publicPath, text)
}

function readPublicKey(privatePath: string) {
  return createPublicKey(createPrivateKey(readFileSync(privatePath)))
}

/** Returns the path of the private key that is published but does not sign yet. */
function nextPathOf({ privatePath }: KeyPaths): string {
  return `${privatePath}.next`
}

/** Runs `work` while holding a lock file. Throws if another process is changing the files. */
function withLock<Result>({ privatePath }: KeyPaths, work: () => Result): Result {
  const path = `${privatePath}.lock`
  const lock = statSync(path, { throwIfNoEntry: false })
  if (lock && Date.now() - lock.mtimeMs > lockLifetime) rmSync(path, { force: true })
  try {
    writeFileSync(path, '', { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new KeysLockedError(
      `Another process is changing the keys. If none is running, delete ${path}`,
    )
  }
  try {
    return work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** Another process is changing the key files. */
export class KeysLockedError extends Error {}
