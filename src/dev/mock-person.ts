import { createHash } from 'node:crypto'

/** A person who can sign in at the mock providers. */
export type MockPerson = {
  name: string
  email: string
  /** Whether the providers report the e-mail address as verified; true by default. */
  verified?: boolean
  /** Google's `amr` claim: how the person authenticates. */
  amr?: string[]
  /** Google's `hd` claim: the Workspace domain of the account. */
  hostedDomain?: string
}

/** The OAuth client that is registered at all three mock providers. */
export type MockClient = { id: string; secret: string; redirectUris: string[] }

/** The IDs of a person: Google's `sub`, Microsoft's `oid` and GitHub's `id`. Derived from the e-mail address, so that they survive a restart. */
export function providerIds({ email }: MockPerson): { sub: string; oid: string; id: number } {
  const hex = createHash('sha256').update(email).digest('hex')
  const oid = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ]
  return {
    sub: BigInt(`0x${hex.slice(0, 16)}`)
      .toString()
      .padStart(21, '1'),
    oid: oid.join('-'),
    id: Number.parseInt(hex.slice(0, 7), 16),
  }
}
