import { createDaikonBrowser } from '@daikon-auth/browser'

const { VITE_DAIKON_URL, VITE_DAIKON_CLIENT_ID } = import.meta.env

/** The URL of daikon's REST API. Defaults to the one that daikon's `npm run dev` serves. */
export const daikonUrl: string = VITE_DAIKON_URL ?? 'http://localhost:8000'

export const daikon = createDaikonBrowser({
  issuer: daikonUrl,
  clientId: VITE_DAIKON_CLIENT_ID ?? '0d000000-0000-7000-8000-000000000004',
  redirectUri: `${location.origin}/callback`,
  postLogoutRedirectUri: `${location.origin}/`,
  service: 'docs',
})
