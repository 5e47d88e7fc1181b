/** How the person behaves at the provider: named in the URL, or chosen on the page; '' refuses. */
export type ProviderUser = { hint: string } | { button: string }

/**
 * Follows a sign-in from the authorization URL to the callback as a browser without scripts does;
 * answers the callback's parameters and how many redirects it took.
 */
export async function followRedirects(
  start: string,
  redirectUri: string,
  visitor: ProviderUser,
): Promise<{ callback: URLSearchParams; redirects: number; pages: string[] }> {
  const cookies = new Map<string, string>()
  const pages: string[] = []
  let url = new URL(start)
  if ('hint' in visitor) {
    for (const name of ['login_hint', 'login']) url.searchParams.set(name, visitor.hint)
  }
  let body: URLSearchParams | undefined
  for (let redirects = 1; redirects < 10; redirects++) {
    let answer = await ask(url, cookies, body)
    if (answer.status === 200 && 'button' in visitor) {
      pages.push(await answer.text())
      answer = await ask(url, cookies, new URLSearchParams({ person: visitor.button }))
    }
    const location = answer.headers.get('location')
    if (!location) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
    if (location.startsWith(redirectUri)) {
      return { callback: new URL(location).searchParams, redirects, pages }
    }
    url = new URL(location, url)
    body = undefined
  }
  throw new Error('too many redirects')
}

async function ask(url: URL, cookies: Map<string, string>, body?: URLSearchParams) {
  const answer = await fetch(url, {
    ...{ method: body ? 'POST' : 'GET', body: body ?? null, redirect: 'manual' },
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  })
  for (const line of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
  return answer
}
