// Who makes a request, and from which site. Here, a person is chosen without a sign-in: replace `choosePerson` and
// `personOf` with the sign-in of your service.
import type { Request, RequestHandler, Response } from 'express'
import { people } from './setup.ts'

/** Remembers the person, if it is one of the workspace. Returns whether it is. */
export function choosePerson(response: Response, person: unknown): boolean {
  if (!people.some((email) => email === person)) return false
  response.cookie('person', person, { httpOnly: true, sameSite: 'lax' })
  return true
}

/** Returns the e-mail address of the person who makes the request, if one was chosen. */
export function personOf({ headers }: Request): string | undefined {
  const [, value] = /(?:^|; )person=([^;]*)/.exec(headers.cookie ?? '') ?? []
  return people.find((email) => encodeURIComponent(email) === value)
}

/** Refuses forms that another site sends. Browsers say where a form comes from; other programs need not. */
export function refuseOtherSites(): RequestHandler {
  return ({ method, headers }, response, next) => {
    const { origin, host, 'sec-fetch-site': site } = headers
    const isOwn = site
      ? site === 'same-origin' || site === 'none'
      : origin === undefined || origin.replace(/^https?:\/\//, '') === host
    if (isOwn || method === 'GET' || method === 'HEAD') next()
    else response.status(403).type('text').send('Forms of other sites are not accepted\n')
  }
}
