import { createSignInUrl, type SignInOptions } from './oauth.ts'
import { createPendingSignIn, type PendingSignIn } from './pkce.ts'

/** Receives the response of a sign-in in a window that did not start it. */
const channelName = 'daikon-workspace-sign-in'

let waiting: BroadcastChannel | undefined

/**
 * Signs in in a new window. Resolves with the parameters of the response, which may be an error, as soon
 * as that window has received it.
 *
 * @throws if the browser blocks the window
 */
export async function signInElsewhere(
  options: SignInOptions,
): Promise<{ response: URLSearchParams; pending: PendingSignIn }> {
  // Opened before anything is awaited, because browsers block other windows.
  const opened = window.open('about:blank')
  if (!opened) throw new Error('The browser has blocked the window')
  // The pages of the identity provider must not navigate this page.
  opened.opener = null
  const pending = createPendingSignIn()
  const received = receive(pending.state)
  opened.location.href = await createSignInUrl(pending, options)
  return { response: await received, pending }
}

/** Sends the response of a sign-in to the window that has started it. */
export function postResponse(response: URLSearchParams): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(response.toString())
  channel.close()
}

/** Resolves with the response of a sign-in that another window received. */
function receive(state: string): Promise<URLSearchParams> {
  waiting?.close()
  const channel = new BroadcastChannel(channelName)
  waiting = channel
  return new Promise((resolve) => {
    channel.addEventListener('message', ({ data }) => {
      const response = new URLSearchParams(String(data))
      if (response.get('state') !== state) return
      channel.close()
      resolve(response)
    })
  })
}
