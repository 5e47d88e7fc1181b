import { ConfigError } from '../../config/config.ts'
import { createSecret } from '../secret.ts'
import { failure, type SignInResult, success } from '../sign-in-result.ts'
import {
  type Identity,
  type OwnMethodName,
  ownMethodNames,
  type Provider,
  type ProviderName,
  type SignInMethodName,
} from './provider.ts'
import { listSignInMethods } from './sign-in-methods.ts'

/** A sign-in method whose provider is a page of daikon's own. A feature brings it. */
export type OwnMethod = {
  name: OwnMethodName
  /** The path of its page, which receives the parameter `state`. */
  path: string
}

/** Seals what a page has proved about a person until the callback, for one login. */
export type Proofs = {
  seal(identity: Identity, state: string): Promise<string>
  /** Returns the identity, or undefined if the proof is of another login, expired or not of this server. */
  open(proof: string, state: string): Promise<Identity | undefined>
}

export function isOwnMethod(name: string): name is OwnMethodName {
  return ownMethodNames.some((own) => own === name)
}

/**
 * Creates the provider of a method: its page proves who the person is, and sends the browser to the
 * callback with that proof as the code. The login's cookie binds the page to the browser.
 */
export function createOwnProvider(
  { name, path }: OwnMethod,
  baseUrl: string,
  proofs: Proofs,
): Provider {
  return {
    name,
    async begin(_redirectUri, { loginHint } = {}) {
      const secrets = { state: createSecret(), ...(loginHint !== undefined && { loginHint }) }
      return success({ url: `${baseUrl}${path}?state=${secrets.state}`, secrets })
    },
    async complete(callback, _redirectUri, { state }): Promise<SignInResult<Identity>> {
      if (callback.has('error')) return failure('access_denied')
      const identity = await proofs.open(callback.get('code') ?? '', state)
      return identity?.provider === name ? success(identity) : failure('invalid_response')
    },
  }
}

/**
 * Returns the providers and the methods of daikon's own that people sign in with, in the order of their
 * buttons. Throws a ConfigError if no feature brings one of them.
 */
export function addOwnMethods(
  providers: Map<ProviderName, Provider>,
  methods: readonly OwnMethod[],
  settings: Parameters<typeof listSignInMethods>[0] & { BASE_URL: string },
  proofs: Proofs,
): Map<SignInMethodName, Provider> {
  const listed = listSignInMethods(settings)
  const own = listed.filter(isOwnMethod).map((name) => {
    const method = methods.find((one) => one.name === name)
    if (!method) throw new ConfigError(`SIGN_IN_METHODS lists ${name}, which this server lacks`)
    return [name, createOwnProvider(method, settings.BASE_URL, proofs)] as const
  })
  const all = new Map<SignInMethodName, Provider>([...providers, ...own])
  const names = [...all.keys()].toSorted((a, b) => listed.indexOf(a) - listed.indexOf(b))
  return new Map(names.map((name) => [name, all.get(name) as Provider]))
}
