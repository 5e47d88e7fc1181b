/** The hosts that refer to this machine in URLs. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** Whether the host of the URL is this machine. */
export function isLoopbackUrl(url: string): boolean {
  return loopbackHosts.includes(new URL(url).hostname)
}

/** Whether the URL is plain http to this machine, where TLS is not needed. */
export function isLoopbackHttp(url: string): boolean {
  return new URL(url).protocol === 'http:' && isLoopbackUrl(url)
}

/** Whether the text is an https URL, or an http URL of this machine. */
export function isSecureUrl(text: string): boolean {
  return URL.canParse(text) && (new URL(text).protocol === 'https:' || isLoopbackHttp(text))
}
