import { hash, randomBytes } from 'node:crypto'
import { isPersonalField } from './events.ts'

/**
 * The fields of an entry that the hash chain covers. Personal values are covered by their digests.
 */
export type ChainEntry = {
  id: string
  action: string
  targetType: string
  targetId: string | null
  actorId: string | null
  workspaceId: string | null
  detail: Record<string, unknown>
  /** UTC with microseconds. */
  createdAt: string
  serviceAppId: string | null
  keyPrefix: string | null
  requestId: string | null
  ip: string | null
  /** Covered from version 3 on, like `apiKeyPrefix`. */
  actorType: string | null
  apiKeyPrefix: string | null
  /** Covered from version 4 on, like `agentId` and `delegationId`. */
  agentType: string | null
  agentId: string | null
  delegationId: string | null
}

/**
 * The digests of personal values and the salts used to compute them, by `ip` or `detail.<field>`.
 * The chain covers only the digests, so that a value and its salt can be erased without breaking
 * it.
 */
export type PersonalDigests = { digests: Record<string, string>; salts: Record<string, string> }

/** Computes digests of the IP address and of the personal fields of the detail, with new salts. */
export function digestPersonalValues(entry: ChainEntry): PersonalDigests {
  const fields = Object.keys(entry.detail).filter((field) => isPersonalField(entry.action, field))
  const names = fields.map((field) => `detail.${field}`)
  if (entry.ip !== null) names.push('ip')
  const salts: Record<string, string> = {}
  const digests: Record<string, string> = {}
  for (const name of names) {
    const salt = randomBytes(16).toString('base64url')
    salts[name] = salt
    digests[name] = digestValue(salt, readValue(entry, name))
  }
  return { digests, salts }
}

/**
 * Compares personal values with their digests. Returns the number of erased values, or undefined if
 * a value was changed or added.
 */
export function countErasedValues(
  entry: ChainEntry,
  { digests, salts }: PersonalDigests,
): number | undefined {
  if (entry.ip !== null && digests.ip === undefined) return undefined
  let erased = 0
  for (const [name, digest] of Object.entries(digests)) {
    const value = readValue(entry, name)
    const salt = salts[name]
    if (value === undefined || value === null) {
      if (salt !== undefined) return undefined
      erased += 1
    } else if (salt === undefined || digestValue(salt, value) !== digest) return undefined
  }
  return erased
}

/**
 * The version of the seals that this version of daikon makes. Version 1 does not include its number
 * in the hash. A change of the hashed values is a new version.
 */
export const sealVersion = 4

/** The first version that covers agents. */
const agentsVersion = 4

/** Whether a seal covers the agent of its entry. */
export function coversAgents(version: number): boolean {
  return version >= agentsVersion
}

/** Whether `hashEntry` supports a version. */
export function isKnownSealVersion(version: number): boolean {
  return version >= 1 && version <= sealVersion
}

/** Hashes an entry together with the hash of the previous entry. */
export function hashEntry(
  previousHash: string,
  sequence: number,
  entry: ChainEntry,
  digests: Record<string, string>,
  version = sealVersion,
): string {
  const detail = Object.entries(entry.detail).filter(([field]) => !(`detail.${field}` in digests))
  const covered = [
    previousHash,
    sequence,
    entry.id,
    entry.action,
    entry.targetType,
    entry.targetId,
    entry.actorId,
    entry.workspaceId,
    Object.fromEntries(detail),
    entry.createdAt,
    entry.serviceAppId,
    entry.keyPrefix,
    entry.requestId,
    digests,
    ...(version >= 3 ? [entry.actorType, entry.apiKeyPrefix] : []),
    ...(coversAgents(version) ? [entry.agentType, entry.agentId, entry.delegationId] : []),
  ]
  return hash('sha256', canonicalJson(version === 1 ? covered : [version, ...covered]))
}

function readValue({ ip, detail }: ChainEntry, name: string): unknown {
  return name === 'ip' ? ip : detail[name.slice('detail.'.length)]
}

function digestValue(salt: string, value: unknown): string {
  return hash('sha256', `${salt}${canonicalJson(value)}`, 'base64url')
}

/** Formats JSON with sorted keys, because PostgreSQL does not preserve their order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
