import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether certificates can be made here. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** An authority of a test's own, and what it has signed. */
export type CertificateAuthority = {
  /** Path of the authority's certificate. */
  path: string
  certificate: Buffer
  /** Signs for a name; answers paths and contents of the pair. */
  issue(name: string): CertificatePair
}

type CertificatePair = { certPath: string; keyPath: string; certificate: Buffer; key: Buffer }

/** Makes an authority with its files in `folder`. */
export function createCertificateAuthority(folder: string, name: string): CertificateAuthority {
  const at = (file: string) => join(folder, `${name}-${file}`)
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  openssl([
    ...['req', '-x509', ...curve, '-subj', `/CN=${name}`],
    ...['-keyout', at('ca.key'), '-out', at('ca.pem')],
  ])
  return {
    path: at('ca.pem'),
    certificate: readFileSync(at('ca.pem')),
    issue(subject) {
      const [certPath, keyPath] = [at(`${subject}.pem`), at(`${subject}.key`)]
      openssl([
        ...['req', '-x509', ...curve, '-subj', `/CN=${subject}`, '-CA', at('ca.pem')],
        ...['-CAkey', at('ca.key'), '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
        ...['-addext', 'basicConstraints=critical,CA:FALSE', '-keyout', keyPath, '-out', certPath],
      ])
      return {
        ...{ certPath, keyPath },
        ...{ certificate: readFileSync(certPath), key: readFileSync(keyPath) },
      }
    },
  }
}

function openssl(args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`)
}
