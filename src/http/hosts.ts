import type { Request } from 'express'
import { ServiceError } from '../core/errors.ts'
import { loopbackHosts } from '../core/loopback.ts'

/** The hosts that requests may name: those set, or else those of our addresses; `*` is any. */
export function allowedHosts(set: string[], ...addresses: string[]): string[] {
  if (set.length > 0) return set
  const derived = addresses.map((address) => new URL(address).hostname).filter(Boolean)
  if (derived.length === 0) return ['*']
  return derived.some((host) => loopbackHosts.includes(host))
    ? [...derived, ...loopbackHosts]
    : derived
}

/** Why a request may not go on by its Host header; undefined when it may. */
export function hostFault(
  { headersDistinct }: Request,
  allowed: string[],
): ServiceError | undefined {
  // Two Host headers are two opinions of where this is; proxies and Node may differ in which counts.
  const [host, ...others] = headersDistinct.host ?? []
  const name = /^(\[[\da-f:.]+\]|[^:[\]\s/@]+)(:\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase()
  const fits = name !== undefined && (allowed.includes('*') || allowed.includes(name))
  if (fits && others.length === 0) return undefined
  return new ServiceError(
    'failed_precondition',
    'HOST_NOT_ALLOWED',
    'The Host header names no host of this service',
  )
}
