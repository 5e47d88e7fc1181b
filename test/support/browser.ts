import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** The first one that is installed runs. Without code for windows, Chromium takes half the processor time. */
const executablePaths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const executablePath = executablePaths.find((path) => existsSync(path)) ?? ''
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

/** Milliseconds for which tests wait for a condition. Generous, because machines can be busy. */
export const waitTimeout = 120_000

/** Whether Chromium is installed, as in CI. Without it, browser tests are skipped. */
export const hasBrowser = executablePath !== ''

/**
 * Finds tests that pass only on a fast machine: with `SLOW_BROWSER=8,300`, pages run 8 times slower and answers
 * take 300 ms longer.
 */
const slowdown = process.env.SLOW_BROWSER?.split(',').map(Number)

/** Opens an empty page in a browser with a fresh profile. */
export async function openBrowserPage(t: ExecutionContext): Promise<Page> {
  const profile = await mkdtemp(join(tmpdir(), 'daikon-browser-'))
  const browser = await chromium.launchPersistentContext(profile, { executablePath, args })
  t.teardown(async () => {
    await browser.close()
    // Chromium's processes may still be writing.
    await rm(profile, { recursive: true, force: true, maxRetries: 10 })
  })
  prepareContext(browser)
  return browser.newPage()
}

/** Starts a browser for the tests of a file, each of which opens a separate context. */
export function launchBrowser(...more: string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...args, ...more] })
}

let launching: Promise<Browser> | undefined
let users = 0

/** Returns the browser that the files of a thread share, and closes it when each of them has called `leave`. */
export async function shareBrowser(): Promise<{ browser: Browser; leave: () => Promise<void> }> {
  launching ??= launchBrowser()
  users += 1
  const browser = await launching
  return {
    browser,
    async leave() {
      users -= 1
      if (users > 0) return
      launching = undefined
      await browser.close()
    },
  }
}

/** Sets how long the pages of a context wait, and how slow they are. */
export function prepareContext(context: BrowserContext): void {
  context.setDefaultTimeout(waitTimeout)
  context.on('page', async (page) => {
    if (!slowdown) return
    const [rate = 1, latency = 0] = slowdown
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate })
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency,
      downloadThroughput: -1,
      uploadThroughput: -1,
    })
  })
}
