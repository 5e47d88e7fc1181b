import { createHash } from 'node:crypto'

/** Somebody to sign in as at the local provider. */
export type LocalPerson = {
  name: string
  email: string
  /** false: no provider vouches for the address. */
  verified?: boolean
  /** Google's `hd`. */
  hostedDomain?: string
}

/** The one application that the local provider knows, at all three of its doors. */
export type LocalClient = { id: string; secret: string; redirectUris: string[] }

/** A person's ids at each provider: made of the address, so that they outlive a restart. */
export function idsOf({ email }: LocalPerson): { sub: string; oid: string; id: number } {
  const hex = createHash('sha256').update(email).digest('hex')
  const oid = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`]
  const sub = BigInt(`0x${hex.slice(0, 16)}`)
    .toString()
    .padStart(21, '1')
  return {
    sub,
    oid: [...oid, hex.slice(20, 32)].join('-'),
    id: Number.parseInt(hex.slice(0, 7), 16),
  }
}
