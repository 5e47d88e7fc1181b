import type { Mail } from '../../src/outbound/mail-client.ts'
import type { SignInEnvironmentOptions } from './sign-in.ts'
import { appUri, createPkce, createSignInEnvironment } from './sign-in.ts'

type Environment = Awaited<ReturnType<typeof createSignInEnvironment>>

/** Starts a sign-in environment with codes by e-mail, whose mails are collected instead of sent. */
export async function createEmailEnvironment({ options, ...rest }: SignInEnvironmentOptions = {}) {
  const mails: Mail[] = []
  const environment = await createSignInEnvironment({
    ...rest,
    options: {
      SIGN_IN_METHODS: ['google', 'microsoft', 'github', 'oidc', 'email'],
      SMTP_URL: 'smtp://mail.test',
      ...options,
    },
    dependencies: { sendMail: async (mail) => void mails.push(mail), ...rest.dependencies },
  })
  let last = Promise.resolve()
  return {
    ...environment,
    mails,
    /** Answers the requests for codes, as the job does, one run after another. */
    work(): Promise<void> {
      last = last.then(async () => {
        while (await environment.app.services.signInCodeWork.send()) {}
      })
      return last
    },
    /** Returns the digits of the last mail to an address. */
    codeOf(email: string): string {
      const mail = mails.filter(({ to }) => to === email).at(-1)
      return mail?.text.slice(mail.text.lastIndexOf('#') + 1) ?? ''
    },
  }
}

/** What a server answers to a browser. */
export type Answer = { status: number; location: string; text: string; headers: Headers }

/** A browser: it keeps cookies, and sends forms as the pages of the server do. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  readonly #origin: string
  readonly #headers: Record<string, string>

  constructor({ httpPort }: Pick<Environment, 'httpPort'>, headers: Record<string, string> = {}) {
    this.#origin = `http://127.0.0.1:${httpPort}`
    this.#headers = headers
  }

  /** Opens a URL of the server, or sends a form with `fields` to it. */
  async open(url: string, fields?: Record<string, string>): Promise<Answer> {
    const { pathname, search } = new URL(url, this.#origin)
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${this.#origin}${pathname}${search}`, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie && { cookie }), ...this.#headers },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    })
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const { status, headers } = response
    return { status, location: headers.get('location') ?? '', text: await response.text(), headers }
  }

  /** Begins a sign-in to the client app, and returns its state and verifier. */
  async begin(provider = 'email'): Promise<{ state: string; verifier: string; location: string }> {
    const { verifier, challenge } = createPkce()
    const query = new URLSearchParams({
      redirect_uri: appUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'of the app',
    })
    const { location, text } = await this.open(`/auth/login/${provider}?${query}`)
    if (location === '') throw new Error(text)
    return { state: new URL(location).searchParams.get('state') ?? '', verifier, location }
  }

  /** Asks for a code, in a new flow unless a state is given. Returns the answer and the state. */
  async ask(email: string, state?: string): Promise<Answer & { state: string }> {
    const flow = state ?? (await this.begin()).state
    return { ...(await this.open('/auth/email', { state: flow, email })), state: flow }
  }

  type(state: string, code: string): Promise<Answer> {
    return this.open('/auth/email/code', { state, code })
  }

  /** Types a code and follows the callback to the client app. Returns the parameters of its redirect. */
  async finish(state: string, code: string): Promise<Record<string, string>> {
    const { location, text } = await this.type(state, code)
    if (location === '') throw new Error(text)
    const callback = await this.open(location)
    return Object.fromEntries(new URL(callback.location).searchParams)
  }
}
