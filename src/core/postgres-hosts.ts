const pattern = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/

/**
 * Splits a PostgreSQL URL that lists several hosts (libpq syntax) into one URL per host, and
 * removes `target_session_attrs`.
 *
 * @example
 * splitHosts('postgresql://user:secret@one:5432,two/daikon?target_session_attrs=read-write')
 * // ['postgresql://user:secret@one:5432/daikon', 'postgresql://user:secret@two/daikon']
 */
export function splitHosts(url: string): string[] {
  const [, start = '', hosts = '', end = ''] = pattern.exec(url) ?? []
  if (start === '') return [url]
  const { rest } = splitAttributes(end)
  return hosts.split(',').map((host) => `${start}${host}${rest}`)
}

/** Returns `target_session_attrs` of a PostgreSQL URL: the kind of server to connect to. */
export function readTargetSessionAttributes(url: string): string | undefined {
  return splitAttributes(url).attributes
}

function splitAttributes(url: string): { rest: string; attributes: string | undefined } {
  const [path = '', query] = url.split(/\?(.*)/s)
  if (query === undefined) return { rest: url, attributes: undefined }
  const isAttributes = (parameter: string) => parameter.startsWith('target_session_attrs=')
  const parameters = query.split('&')
  const others = parameters.filter((parameter) => !isAttributes(parameter)).join('&')
  const attributes = parameters.find(isAttributes)?.split('=')[1]
  return { rest: others === '' ? path : `${path}?${others}`, attributes }
}
