import { Resolver } from 'node:dns/promises'

/** Whether DNS has the proof of a domain; `unknown` if DNS does not respond. */
export type DomainProof = 'present' | 'absent' | 'unknown'

/** Looks for the proof of a domain. */
export type FindDomainProof = (domain: string, token: string) => Promise<DomainProof>

/** Returns the value of the TXT record that proves a domain. */
export function txtValue(token: string): string {
  return `daikon-verification=${token}`
}

/** The answers of DNS servers that know that there is no such record. */
const absent = ['ENOTFOUND', 'ENODATA']

/** Creates the function that queries DNS. `servers` replaces the servers of the system, unless empty. */
export function createFindDomainProof(servers: string[]): FindDomainProof {
  return async (domain, token) => {
    const resolver = new Resolver({ timeout: 2000, tries: 2 })
    if (servers.length > 0) resolver.setServers(servers)
    try {
      const records = await resolver.resolveTxt(`${domain}.`)
      const isProof = (parts: string[]) => parts.join('') === txtValue(token)
      return records.some(isProof) ? 'present' : 'absent'
    } catch (error) {
      return absent.includes((error as NodeJS.ErrnoException).code ?? '') ? 'absent' : 'unknown'
    }
  }
}
