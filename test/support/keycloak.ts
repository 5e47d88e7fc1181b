import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'
import { cachedApplications, createFolder, startApplication } from './applications.ts'

const home = join(cachedApplications, 'keycloak-26.7.3')

/** The file that `install-keycloak` leaves. */
export const keycloakFile = join(home, 'lib/quarkus-run.jar')

const administrator = { username: 'admin', password: 'a password of the test' }

/** The password of all users of the realms. */
export const keycloakPassword = 'correct horse'

export type Keycloak = Awaited<ReturnType<typeof startKeycloak>>

/** Starts Keycloak with an empty database in memory. Stops it after the test. */
export async function startKeycloak(t: ExecutionContext) {
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const options = ['--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${port}`]
  const opened = ['java.util', 'java.util.concurrent', 'java.security', 'java.lang']
  await startApplication(
    t,
    `${url}/realms/master`,
    [
      'java',
      ...['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Dkc.home.dir=${home}`],
      '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
      ...opened.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
      ...['-cp', keycloakFile, 'io.quarkus.bootstrap.runner.QuarkusEntryPoint'],
      ...['start', '--optimized', '--cache=local', '--hostname-strict=false', ...options],
    ],
    {
      cwd: await createFolder(t),
      env: {
        KC_BOOTSTRAP_ADMIN_USERNAME: administrator.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
      },
    },
  )

  /** Sends a request to the Admin REST API, whose tokens last only a minute. */
  async function administer(method: string, path: string, body: object): Promise<void> {
    const answer = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'password', client_id: 'admin-cli', ...administrator },
      }),
    })
    const { access_token } = (await answer.json()) as { access_token: string }
    const response = await fetch(`${url}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  }

  return {
    url,
    administer,
    /** Creates a realm. Returns its issuer. */
    async createRealm(realm: string, representation: object): Promise<string> {
      await administer('POST', '', { realm, enabled: true, ...representation })
      return `${url}/realms/${realm}`
    },
  }
}

/** A person who can sign in with `keycloakPassword`. */
export function createKeycloakUser(email: string, rights: object = {}) {
  const credentials = [{ type: 'password', value: keycloakPassword, temporary: false }]
  const [firstName] = email.split('@')
  return {
    ...{ username: email, email, emailVerified: true, enabled: true },
    ...{ firstName, lastName: 'Example', credentials, ...rights },
  }
}
