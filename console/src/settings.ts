/** The settings that the server passes to the console. */
export type Settings = {
  /** The URL of the REST API. */
  base_url: string
  /** The host and port at which services reach the gRPC server. */
  grpc_address: string
  /** Whether the gRPC server has a certificate. */
  grpc_encrypted: boolean
  /** Whether the server runs with DEBUG=true. */
  debug: boolean
  /** The ID of the client app of the workspace console. */
  workspace_client_id: string
  /** The identity providers that administrators can sign in with. */
  providers: { name: string; title: string }[]
  /** Whether people sign in with codes by e-mail. */
  has_codes: boolean
  /** The features of the server that are on, by the names of their folders in `src`. */
  features: string[]
}

/** A feature that a server can do without, and the console shows. */
type OptionalFeature =
  | 'client-metadata'
  | 'connections'
  | 'consent'
  | 'csv-import'
  | 'delegations'
  | 'scim'
  | 'webhooks'

/**
 * Used with the development server of Vite, which serves the page without settings. The API then
 * has its default address.
 */
const developmentSettings: Settings = {
  base_url: 'http://localhost:8000',
  grpc_address: 'localhost:50051',
  grpc_encrypted: false,
  debug: true,
  workspace_client_id: '0da1c000-0000-7000-8000-000000000001',
  providers: [{ name: 'google', title: 'Google' }],
  has_codes: true,
  features: [
    'client-metadata',
    'connections',
    'consent',
    'csv-import',
    'delegations',
    'scim',
    'webhooks',
  ],
}

function readSettings(): Settings {
  const element = document.querySelector<HTMLMetaElement>('meta[name="daikon-settings"]')
  return element?.content ? JSON.parse(element.content) : developmentSettings
}

export const settings = readSettings()

/** Whether the server has a feature. What belongs to the others is not shown. */
export function hasFeature(name: OptionalFeature): boolean {
  return settings.features.includes(name)
}
