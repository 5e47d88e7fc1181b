import {
  email,
  flag,
  hostPattern,
  list,
  namesOf,
  oneOf,
  optional,
  optionalNumber,
  positiveNumber,
  text,
  url,
} from '../config/parsers.ts'
import { type SettingsOf, setting } from '../config/setting.ts'
import { signInMethodNames } from './providers/provider.ts'

const http = url('http', 'https')

/** The settings of sign-in, tokens and sessions. */
export const identitySettings = {
  BACKCHANNEL_ALLOWED_HOSTS: setting(
    'Addresses and browsers',
    '',
    list(hostPattern),
    'Comma-separated host names, IP addresses and CIDR ranges on the private network that may be the back-channel logout URI of a client app. Private, loopback and link-local addresses are refused otherwise, except loopback if DEBUG is true.',
  ),
  ADMIN_EMAILS: setting(
    'Security',
    '',
    list(email),
    'Comma-separated e-mail addresses of users who become administrators when they sign in.',
  ),
  SESSION_SECRET_KEY: setting(
    'Security',
    'daikon-development-secret',
    text,
    'Secret that encrypts the state of sign-ins. Required if DEBUG is false, with at least 32 bytes.',
  ),
  JWT_PRIVATE_KEY_PATH: setting(
    'Tokens',
    'keys/private.pem',
    text,
    'PEM file with the RSA private key that signs tokens. If DEBUG is false, only its owner may be able to read it, or its group if it belongs to root.',
  ),
  JWT_PUBLIC_KEY_PATH: setting(
    'Tokens',
    'keys/public.pem',
    text,
    'PEM file with the RSA public keys that verify tokens, newest first.',
  ),
  VAULT_ADDR: setting(
    'Tokens',
    '',
    optional(http),
    'URL of HashiCorp Vault or OpenBao, whose transit secrets engine signs tokens. Empty: the keys are in the files above.',
  ),
  VAULT_TOKEN: setting('Tokens', '', text, 'Token for Vault.'),
  VAULT_TOKEN_PATH: setting(
    'Tokens',
    '',
    text,
    'File with the token for Vault, such as a sink of Vault Agent. It is read for every request.',
  ),
  VAULT_NAMESPACE: setting('Tokens', '', text, 'Namespace in Vault.'),
  VAULT_TRANSIT_MOUNT: setting(
    'Tokens',
    'transit',
    text,
    'Path of the transit secrets engine in Vault.',
  ),
  VAULT_TRANSIT_KEY: setting('Tokens', 'daikon', text, 'Name of the RSA key in Vault.'),
  ACCESS_TOKEN_EXPIRE_MINUTES: setting(
    'Tokens',
    '15',
    positiveNumber,
    'Lifetime of an access token, in minutes.',
  ),
  REFRESH_TOKEN_EXPIRE_DAYS: setting(
    'Tokens',
    '7',
    positiveNumber,
    'Lifetime of a session, in days from sign-in.',
  ),
  ADMIN_TOKEN_EXPIRE_MINUTES: setting(
    'Tokens',
    '60',
    positiveNumber,
    'Lifetime of an admin token, in minutes. Its cookie expires after at most an hour.',
  ),
  ADMIN_MAX_AGE_MINUTES: setting(
    'Tokens',
    '',
    optionalNumber,
    'Minutes that may pass between the sign-in of an administrator at the identity provider and any use of the admin API. Requires a provider that reports the time of the sign-in (`auth_time`). Empty: no limit beyond the lifetime of the admin token.',
  ),
  ADMIN_REQUIRED_AMR: setting(
    'Tokens',
    '',
    list(text),
    'Comma-separated authentication methods, such as mfa or hwk. Administrators must sign in with one of them, as reported by the identity provider (`amr`). Empty: any method.',
  ),
  PERSONAL_WORKSPACES: setting(
    'Behavior',
    'true',
    flag,
    'Creates a workspace for each user who signs in without having joined one.',
  ),
  MAX_SESSIONS_PER_USER: setting(
    'Quotas',
    '50',
    positiveNumber,
    'Maximum number of sessions of a user. A further sign-in ends the oldest one.',
  ),
  MAX_GRANTS_PER_USER: setting(
    'Quotas',
    '200',
    positiveNumber,
    'Maximum number of grants of a user to apps that require consent. A further one ends the one that was not used for the longest time.',
  ),
  MAX_TOKEN_CACHE_BYTES: setting(
    'Rate limits',
    '33554432',
    positiveNumber,
    'Maximum size in bytes of the cache of verified tokens of a worker.',
  ),
  SIGN_IN_METHODS: setting(
    'Identity providers',
    '',
    namesOf(...signInMethodNames),
    'Comma-separated methods that people sign in with, out of google, microsoft, github, oidc, email and passkey, in the order of their buttons. Empty: each provider that has a client ID.',
  ),
  ADMIN_SIGN_IN_METHODS: setting(
    'Identity providers',
    '',
    namesOf(...signInMethodNames),
    'Comma-separated methods that administrators sign in with, out of those that people sign in with. Only a sign-in with one of them makes a user in ADMIN_EMAILS an administrator. Empty: all of them but email.',
  ),
  SIGN_UP: setting(
    'Identity providers',
    'open',
    oneOf('open', 'invited'),
    'Who may sign in for the first time: everyone, or with `invited` only people who have been invited, imported or provisioned, whose domain a connection has verified, or who are in ADMIN_EMAILS.',
  ),
  GOOGLE_CLIENT_ID: setting(
    'Identity providers',
    '',
    text,
    'OAuth client ID at Google. Empty: sign-in with Google is disabled.',
  ),
  GOOGLE_CLIENT_SECRET: setting('Identity providers', '', text, 'OAuth client secret at Google.'),
  GOOGLE_ISSUER: setting(
    'Identity providers',
    'https://accounts.google.com',
    http,
    'OpenID Connect issuer of Google.',
  ),
  MICROSOFT_CLIENT_ID: setting(
    'Identity providers',
    '',
    text,
    'OAuth client ID at Microsoft. Empty: sign-in with Microsoft is disabled.',
  ),
  MICROSOFT_CLIENT_SECRET: setting(
    'Identity providers',
    '',
    text,
    'OAuth client secret at Microsoft.',
  ),
  MICROSOFT_TENANT: setting(
    'Identity providers',
    'common',
    text,
    'Microsoft Entra tenant: its ID or domain, or common, organizations or consumers.',
  ),
  MICROSOFT_ISSUER: setting(
    'Identity providers',
    'https://login.microsoftonline.com/{tenant}/v2.0',
    http,
    'OpenID Connect issuer of Microsoft. {tenant} is replaced by MICROSOFT_TENANT.',
  ),
  MICROSOFT_TRUST_EMAIL: setting(
    'Identity providers',
    'false',
    flag,
    'Treats the e-mail addresses of a single tenant as verified. Not allowed for common, organizations and consumers.',
  ),
  GITHUB_CLIENT_ID: setting(
    'Identity providers',
    '',
    text,
    'OAuth client ID at GitHub. Empty: sign-in with GitHub is disabled.',
  ),
  GITHUB_CLIENT_SECRET: setting('Identity providers', '', text, 'OAuth client secret at GitHub.'),
  GITHUB_URL: setting(
    'Identity providers',
    'https://github.com',
    http,
    'URL of GitHub, or of a GitHub Enterprise server.',
  ),
  GITHUB_API_URL: setting(
    'Identity providers',
    'https://api.github.com',
    http,
    'URL of the GitHub REST API.',
  ),
  GITHUB_PKCE: setting(
    'Identity providers',
    'false',
    flag,
    'Uses PKCE with GitHub, in addition to the state parameter.',
  ),
  OIDC_CLIENT_ID: setting(
    'Identity providers',
    '',
    text,
    'OAuth client ID at another OpenID Connect provider, such as one of your company. Empty: sign-in with it is disabled.',
  ),
  OIDC_CLIENT_SECRET: setting(
    'Identity providers',
    '',
    text,
    'OAuth client secret at that provider.',
  ),
  OIDC_ISSUER: setting(
    'Identity providers',
    '',
    text,
    'OpenID Connect issuer of that provider, exactly as in its discovery document. Accounts belong to their issuer: after a change, those of the former one sign nobody in.',
  ),
  OIDC_NAME: setting(
    'Identity providers',
    '',
    text,
    "Name of that provider on its button. Empty: the issuer's host.",
  ),
  OIDC_TRUST_EMAIL: setting(
    'Identity providers',
    'false',
    flag,
    'Whether accounts at that provider may join users who have other accounts already, by an address that it has verified. Set it to true only if the provider notices when an address changes hands.',
  ),
}

export type IdentitySettings = SettingsOf<typeof identitySettings>
