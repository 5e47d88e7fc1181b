import type { StepUp } from './api.ts'
import { invalidArgument } from './errors.ts'
import type { SessionManager } from './session-manager.ts'

type ApiFetchOptions = {
  manager: Pick<SessionManager, 'require' | 'refresh'>
  /** The origins that receive access tokens. */
  origins: string[]
  onStepUp: (stepUp: StepUp) => void | Promise<void>
}

/** Creates the function that calls the application's own API with the user's access token. */
export function createApiFetch({ manager, origins, onStepUp }: ApiFetchOptions) {
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    if (!origins.includes(new URL(request.url).origin)) throw foreignOrigin(request.url)
    const session = await manager.require()
    // The body of a request can be sent only once.
    let response = await send(request.clone(), session.accessToken)
    if (response.status === 401 && !readStepUp(response)) {
      const { accessToken } = await manager.refresh(session)
      response = await send(request, accessToken)
    }
    const stepUp = readStepUp(response)
    if (stepUp) await onStepUp(stepUp)
    return response
  }
}

function send(request: Request, accessToken: string): Promise<Response> {
  request.headers.set('authorization', `Bearer ${accessToken}`)
  return fetch(request)
}

/** Returns the sign-in that a response asks for (RFC 9470, section 3), if it does. */
export function readStepUp({ status, headers }: Response): StepUp | undefined {
  const challenge = headers.get('www-authenticate') ?? ''
  if (status !== 401 || !/\berror="?insufficient_user_authentication\b/.test(challenge))
    return undefined
  const [, maxAge] = /\bmax_age="?(\d{1,9})\b/.exec(challenge) ?? []
  const [, quoted, acrValues = quoted] =
    /\bacr_values=(?:"([^"]*)"|([^\s,"]+))/.exec(challenge) ?? []
  return { ...(maxAge && { maxAge: Number(maxAge) }), ...(acrValues && { acrValues }) }
}

function foreignOrigin(url: string): Error {
  const { origin } = new URL(url)
  const message = `of ${origin} must not receive the access token; add it to apiOrigins if it is your own API`
  return invalidArgument({ field: 'input', message })
}
