/** What the setup suggests for a kind of identity provider. */
export type ProviderTemplate = {
  value: string
  label: string
  /** An example of an issuer. */
  issuer: string
  /** What to do at the provider. */
  steps: string
  /** What the values of the claim for groups are. */
  groupValues: string
}

export const providerTemplates: ProviderTemplate[] = [
  {
    value: 'okta',
    label: 'Okta',
    issuer: 'https://example.okta.com',
    steps:
      'In Okta, create an app integration of the type OIDC, Web Application. The issuer is the URL of your organization.',
    groupValues: 'Add a groups claim to the ID token of the app. Its values are names of groups.',
  },
  {
    value: 'entra',
    label: 'Entra ID',
    issuer: 'https://login.microsoftonline.com/<tenant ID>/v2.0',
    steps:
      'In Entra ID, register an application for the accounts of your directory only, with the platform Web and a client secret.',
    groupValues:
      'App roles arrive in the claim roles. The values of the claim groups are object IDs.',
  },
  {
    value: 'keycloak',
    label: 'Keycloak',
    issuer: 'https://keycloak.example.com/realms/<realm>',
    steps:
      'In Keycloak, create a client of the type OpenID Connect with client authentication and the standard flow.',
    groupValues: 'Add mappers that put groups or roles of the realm into the ID token.',
  },
  {
    value: 'other',
    label: 'Other',
    issuer: 'https://idp.example.com',
    steps:
      'Create a web application at the provider, with the authorization code grant and PKCE. It must sign ID tokens with RS256.',
    groupValues: 'A claim of the ID token is a text or a list of texts.',
  },
]
