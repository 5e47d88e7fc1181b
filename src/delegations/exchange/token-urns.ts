/** The types of the tokens that agents exchange (RFC 8693, 3). */
export const tokenTypes = {
  accessToken: 'urn:ietf:params:oauth:token-type:access_token',
  apiKey: 'urn:daikon:params:oauth:token-type:api_key',
  delegation: 'urn:daikon:params:oauth:token-type:delegation',
} as const
