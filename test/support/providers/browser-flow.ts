/**
 * How the user signs in at the provider: with a hint in the URL or a button on the page. '' denies
 * access.
 */
export type ProviderUser = { hint: string } | { button: string }

/**
 * Follows a sign-in from the authorization URL to the callback, like a browser without scripts.
 * Returns the callback's parameters, the number of redirects and the displayed pages.
 */
export async function followRedirects(
  start: string,
  redirectUri: string,
  user: ProviderUser,
): Promise<{ callback: URLSearchParams; redirects: number; pages: string[] }> {
  const cookies = new Map<string, string>()
  const pages: string[] = []
  let url = new URL(start)
  if ('hint' in user) {
    for (const name of ['login_hint', 'login']) url.searchParams.set(name, user.hint)
  }
  let body: URLSearchParams | undefined
  for (let redirects = 1; redirects < 10; redirects++) {
    let response = await request(url, cookies, body)
    if (response.status === 200 && 'button' in user) {
      pages.push(await response.text())
      response = await request(url, cookies, new URLSearchParams({ person: user.button }))
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`${url} returned ${response.status}: ${await response.text()}`)
    if (location.startsWith(redirectUri)) {
      return { callback: new URL(location).searchParams, redirects, pages }
    }
    url = new URL(location, url)
    body = undefined
  }
  throw new Error('too many redirects')
}

async function request(url: URL, cookies: Map<string, string>, body?: URLSearchParams) {
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    body: body ?? null,
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
  return response
}
