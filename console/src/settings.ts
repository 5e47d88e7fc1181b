/** What the server tells its console. */
export type Settings = {
  /** The URL of the REST API. */
  base_url: string
  /** Whether the server runs with DEBUG. */
  debug: boolean
  /** The identity providers that administrators can sign in with. */
  providers: { name: string; title: string }[]
}

/** `vite` serves the page without settings: the API is then at its default address. */
const developmentSettings: Settings = {
  base_url: 'http://localhost:8000',
  debug: true,
  providers: [{ name: 'google', title: 'Google' }],
}

function readSettings(): Settings {
  const element = document.querySelector<HTMLMetaElement>('meta[name="daikon-settings"]')
  return element?.content ? JSON.parse(element.content) : developmentSettings
}

export const settings = readSettings()
