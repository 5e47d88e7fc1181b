/** A delegation, and the client app to which it was given. */
export type Agent = {
  daikonUrl: string
  clientId: string
  clientSecret: string
  delegationId: string
}

/** Seconds before its end at which a token is replaced. */
const margin = 60

/** Returns a function that obtains tokens by which the agent acts for the user (RFC 8693), and keeps one. */
export function createTokenSource(agent: Agent): () => Promise<string> {
  let kept: { token: string; until: number } | undefined
  return async () => {
    if (kept && Date.now() < kept.until) return kept.token
    const { access_token: token, expires_in: seconds } = await exchange(agent)
    kept = { token, until: Date.now() + (seconds - margin) * 1000 }
    return token
  }
}

async function exchange({ daikonUrl, clientId, clientSecret, delegationId }: Agent) {
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':')
  const response = await fetch(`${daikonUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(credentials)}` },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: delegationId,
      subject_token_type: 'urn:daikon:params:oauth:token-type:delegation',
    }),
  })
  const answer = (await response.json()) as {
    access_token: string
    expires_in: number
    error_description?: string
  }
  if (!response.ok)
    throw new Error(answer.error_description ?? `daikon answered ${response.status}`)
  return answer
}
