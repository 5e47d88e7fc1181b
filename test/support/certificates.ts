import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether the `openssl` command is installed. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** A certificate authority that exists for one test. */
export type CertificateAuthority = {
  /** The path of the authority's certificate. */
  path: string
  certificate: Buffer
  /**
   * Issues a certificate for a name, of this machine by default. Returns the paths and contents of the
   * certificate and key.
   */
  issue(name: string, alternatives?: string): CertificatePair
}

type CertificatePair = { certPath: string; keyPath: string; certificate: Buffer; key: Buffer }

/** Creates a certificate authority and writes its files to `folder`. */
export function createCertificateAuthority(folder: string, name: string): CertificateAuthority {
  const index = (file: string) => join(folder, `${name}-${file}`)
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  openssl([
    'req',
    '-x509',
    ...curve,
    '-subj',
    `/CN=${name}`,
    '-keyout',
    index('ca.key'),
    '-out',
    index('ca.pem'),
  ])
  return {
    path: index('ca.pem'),
    certificate: readFileSync(index('ca.pem')),
    issue(subject, alternatives = 'DNS:localhost,IP:127.0.0.1') {
      const [certPath, keyPath] = [index(`${subject}.pem`), index(`${subject}.key`)]
      openssl([
        'req',
        '-x509',
        ...curve,
        '-subj',
        `/CN=${subject}`,
        '-CA',
        index('ca.pem'),
        '-CAkey',
        index('ca.key'),
        '-addext',
        `subjectAltName=${alternatives}`,
        '-addext',
        'basicConstraints=critical,CA:FALSE',
        '-keyout',
        keyPath,
        '-out',
        certPath,
      ])
      return {
        certPath,
        keyPath,
        certificate: readFileSync(certPath),
        key: readFileSync(keyPath),
      }
    },
  }
}

function openssl(args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`)
}
