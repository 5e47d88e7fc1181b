import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type Browser, chromium, type Page } from 'playwright-core'

const executablePath = '/usr/bin/chromium'
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Whether Chromium is installed, as in CI. Without it, browser tests are skipped. */
export const hasBrowser = existsSync(executablePath)

/** Opens an empty page in a browser with a fresh profile. */
export async function openBrowserPage(t: ExecutionContext): Promise<Page> {
  const profile = await mkdtemp(join(tmpdir(), 'daikon-browser-'))
  const browser = await chromium.launchPersistentContext(profile, { executablePath, args })
  t.teardown(async () => {
    await browser.close()
    // Chromium's processes may still be writing.
    await rm(profile, { recursive: true, force: true, maxRetries: 10 })
  })
  return browser.newPage()
}

/** Starts a browser for the tests of a file, each of which opens a separate context. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args })
}
