import { createHash } from 'node:crypto'

/** A person who can sign in at the mock providers. */
export type MockPerson = {
  name: string
  email: string
  /** Whether the providers report the e-mail address as verified. Defaults to true. */
  verified?: boolean
  /** Google's `amr` claim: the authentication methods that the person used. */
  amr?: string[]
  /** Google's `hd` claim: the Workspace domain of the account. */
  hostedDomain?: string
}

/** The OAuth client that is registered with all mock providers. */
export type MockClient = { id: string; secret: string; redirectUris: string[] }

/**
 * Returns the IDs of a person: Google's `sub`, Microsoft's `oid` and GitHub's `id`. They are
 * derived from the e-mail address, so that they stay the same after a restart.
 */
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
