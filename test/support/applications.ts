import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { Locator, Page } from 'playwright-core'
import type { Role } from '../../src/core/roles.ts'
import { hasBrowser, openBrowserPage } from './browser.ts'
import { createOAuthClient } from './oauth.ts'
import type { startIssuer } from './oauth-issuer.ts'

/** The folder in which `install` puts the applications. */
export const applications = join(import.meta.dirname, 'applications')

/** The folder outside the checkout in which `install-keycloak` and `install-large-applications` put theirs. */
export const cachedApplications = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'daikon',
)

/** Declares a test, which is skipped with a message if Chromium or one of the files is missing. */
export function testApplication(
  title: string,
  files: string[],
  implementation: (t: ExecutionContext) => Promise<void>,
): void {
  const isInstalled = files.every((file) => existsSync(file))
  if (hasBrowser && isInstalled) {
    test(title, implementation)
  } else {
    const missing = isInstalled ? 'Chromium' : 'the application'
    const hint = isInstalled ? '' : ': see test/support/applications/install'
    console.log(`${title}: ${missing} is not installed${hint}`)
    test.skip(title, implementation)
  }
}

/** Creates a folder for the files of an application. Deletes it after the test. */
export async function createFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-application-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/** Milliseconds for which an application may start. Generous, because machines can be busy. */
const startTimeout = 300_000

/** Starts an application and waits until `url` responds with 200. Stops it after the test. */
export async function startApplication(
  t: ExecutionContext,
  url: string,
  [command, ...args]: [string, ...string[]],
  options: { cwd: string; env?: Record<string, string> },
): Promise<void> {
  const env = { ...process.env, ...options.env }
  const child = spawn(command, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-5000)
    })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(async () => {
    child.kill()
    await Promise.race([exited, setTimeout(10_000, undefined, { ref: false })])
    child.kill('SIGKILL')
    if (!t.passed) t.log(output)
  })
  const deadline = performance.now() + startTimeout
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`${command} exited: ${output}`)
    const response = await fetch(url, { redirect: 'manual' }).catch(() => undefined)
    if (response?.ok) return
    await setTimeout(100)
  }
  throw new Error(`${command} does not respond: ${output}`)
}

/** The values that replace the examples of docs/applications.md. */
type RecipeValues = { issuer: string; url: string; id: string; secret: string }

/** Returns the block of docs/applications.md with this name, for an application. */
export async function readRecipe(
  name: string,
  { issuer, url, id, secret }: RecipeValues,
): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../../docs/applications.md'), 'utf8')
  const block = new RegExp(
    `<!-- application ${name} -->\n\`\`\`\\w+\n([\\s\\S]*?)^\`\`\`$`,
    'm',
  ).exec(page)?.[1]
  if (block === undefined) throw new Error(`docs/applications.md has no block ${name}`)
  return block
    .replaceAll('https://auth.example.com', issuer)
    .replaceAll('https://app.example.com', url)
    .replaceAll(/\bCLIENT_ID\b/g, id)
    .replaceAll(/\bCLIENT_SECRET\b/g, secret)
}

type Issuer = Awaited<ReturnType<typeof startIssuer>>

/**
 * A client app that is bound to the workspace of a new user, who is in the group `Accounting`.
 * `addMember` adds another user to the workspace, and `addStranger` one who owns a workspace of their own. Both return
 * the e-mail address.
 */
export async function createBoundApp(
  { environment, issuer }: Issuer,
  uri: string,
  role: Role,
  row: Record<string, unknown> = {},
) {
  const { seed } = environment
  const workspace = await seed.workspace('Company')
  const addUser = async (name: string, role: Role, to = workspace) => {
    const email = environment.addProviderUser({ name })
    const user = await seed.user('', { email })
    await seed.member(to, user, role)
    return { email, user }
  }
  const { email, user } = await addUser('Ann Example', role)
  await seed.group(workspace, [user], 'Accounting')
  const settings = { type: 'confidential', workspace_id: workspace, ...row }
  const client = await createOAuthClient(environment, settings, [uri])
  return {
    email,
    issuer,
    id: client.client_id,
    secret: client.client_secret ?? '',
    addMember: async (role: Role) => (await addUser('Bea Example', role)).email,
    addStranger: async () =>
      (await addUser('Cleo Example', 'owner', await seed.workspace('Of Cleo'))).email,
  }
}

/** Opens a browser whose failures are shown with the address and text of its page. */
export async function openApplication(t: ExecutionContext): Promise<Page> {
  const page = await openBrowserPage(t)
  t.teardown(async () => {
    if (t.passed) return
    t.log(page.url(), await page.innerText('body').catch(String))
  })
  return page
}

/**
 * Chooses the user on the page of the identity provider, and waits until the page has been left: its button would be
 * found like a button of the application with the same name.
 */
export async function chooseUser(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(email) }).click()
  try {
    await denyButton(page).waitFor({ state: 'detached' })
  } catch (error) {
    // A popup closes itself.
    if (!page.isClosed()) throw error
  }
}

/** Saves a picture if APPLICATION_PICTURES names a folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.APPLICATION_PICTURES
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) })
}

/** Waits until the identity provider asks who signs in. */
export async function waitForSignIn(page: Page): Promise<void> {
  await denyButton(page).waitFor()
}

function denyButton(page: Page): Locator {
  return page.getByRole('button', { name: 'Deny access' })
}
