/**
 * The script of pages on which people sign in with passkeys. Its hash is part of their content security
 * policy.
 *
 * The page of passkeys has a button with the state of the sign-in and the options of the browser. On other
 * pages, the script offers passkeys in the address field (conditional mediation), whose form has the state of
 * the sign-in. If the form goes to the client app's request, whose own state it has, the name is `passkey_state`.
 */
export const passkeyScript = `
(() => {
  const button = document.querySelector('button[data-passkey]')
  const field = document.querySelector('input[autocomplete~="webauthn"]')
  const problem = document.querySelector('#problem')
  const decode = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
  const encode = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=/g, '')
  const report = (text) => {
    if (!problem) return
    problem.textContent = text
    problem.hidden = text === ''
  }
  const read = ({ dataset: { state, options, seconds } }) =>
    ({ state, seconds: Number(seconds), options: JSON.parse(options), since: Date.now() })
  const isOld = (flow) => !flow.options || Date.now() - flow.since > (flow.seconds - 15) * 1000
  const post = async (path, body) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { ok: response.ok, body: await response.json() }
  }
  const renew = async (flow) => {
    const { ok, body } = await post('/auth/passkey/options', { state: flow.state })
    if (ok) Object.assign(flow, { options: body, since: Date.now() })
    return ok
  }
  const toJson = ({ rawId, type, response }) => ({
    id: encode(rawId), rawId: encode(rawId), type,
    response: {
      clientDataJSON: encode(response.clientDataJSON),
      authenticatorData: encode(response.authenticatorData),
      signature: encode(response.signature),
      userHandle: response.userHandle ? encode(response.userHandle) : '',
    },
  })
  const signIn = async (flow, more) => {
    if (isOld(flow) && !(await renew(flow))) return report('This sign-in has ended. Go back and start again.')
    const { options } = flow
    const publicKey = { ...options, challenge: decode(options.challenge), allowCredentials: [] }
    const credential = await navigator.credentials.get({ publicKey, ...more })
    flow.options = undefined
    const { ok, body } = await post('/auth/passkey', { state: flow.state, credential: toJson(credential) })
    if (ok) {
      location.assign(body.location)
      return true
    }
    if (body.reason === 'PASSKEY_UNKNOWN')
      await PublicKeyCredential.signalUnknownCredential?.({ rpId: options.rpId, credentialId: credential.id })
    report(body.detail ?? body.title)
  }
  if (!window.PublicKeyCredential) {
    if (button) button.disabled = true
    return report('This browser does not support passkeys.')
  }
  if (button) {
    const flow = read(button)
    const start = () => {
      report('')
      button.disabled = true
      signIn(flow)
        .catch(({ name }) => report(name === 'TypeError'
          ? 'The server cannot be reached. Try again.' : 'No passkey was used. Try again, or sign in another way.'))
        .finally(() => { button.disabled = false })
    }
    button.addEventListener('click', start)
    start()
    return
  }
  const offer = async () => {
    const name = field?.form?.method === 'get' ? 'passkey_state' : 'state'
    const state = field?.form?.elements.namedItem(name)?.value
    if (!state || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
    const flow = { state, seconds: 300 }
    let pending = new AbortController()
    const wait = () => {
      pending = new AbortController()
      return signIn(flow, { mediation: 'conditional', signal: pending.signal })
        .then((isLeaving) => isLeaving || wait())
        .catch(() => {})
    }
    document.addEventListener('visibilitychange', () => {
      if (document.hidden || !isOld(flow)) return
      pending.abort()
      wait()
    })
    wait()
  }
  offer().catch(() => {})
})()
`
