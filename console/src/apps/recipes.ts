import page from '../../../docs/applications.md?raw'
import { settings } from '../settings.ts'
import type { ClientApp } from './app-queries.ts'

/** The applications of docs/applications.md, with the names of their blocks. */
const applications = [
  { title: 'Apache', blocks: ['apache'] },
  { title: 'Django', blocks: ['django-settings', 'django-roles'] },
  { title: 'JupyterHub', blocks: ['jupyterhub'] },
  { title: 'MLflow', blocks: ['mlflow'] },
  { title: 'Node-RED', blocks: ['node-red'] },
  { title: 'oidc-client-ts', blocks: ['oidc-client-ts'] },
  { title: 'pgAdmin', blocks: ['pgadmin'] },
  { title: 'Spring Boot', blocks: ['spring-settings', 'spring-security'] },
  { title: 'Superset', blocks: ['superset'] },
  { title: 'Swagger UI', blocks: ['swagger-ui'] },
]

const blocks = new Map(
  [...page.matchAll(/<!-- application (\S+) -->\n```\w+\n([\s\S]*?)^```$/gm)].map(
    ([, name, code]) => [name, code] as const,
  ),
)

/** Returns the settings of each application for a client app. The secret is not known. */
export function createRecipes({ id, redirect_uris }: ClientApp): { title: string; code: string }[] {
  const { origin } = new URL(redirect_uris[0] ?? 'https://app.example.com')
  return applications.map(({ title, blocks: names }) => ({
    title,
    code: names
      .map((name) => blocks.get(name) ?? '')
      .join('\n')
      .replaceAll('https://auth.example.com', settings.base_url)
      .replaceAll('https://app.example.com', origin)
      .replaceAll(/\bCLIENT_ID\b/g, id)
      .trimEnd(),
  }))
}
