import { Alert, Box } from '@mantine/core'
import { useState } from 'react'
import { CopyableCode } from '../ui/copy.tsx'
import { Section } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import type { ClientApp } from './app-queries.ts'
import { createRecipes } from './recipes.ts'

/** Shows the settings with which an application signs users in to this client app. */
export function ConnectApplication({ app }: { app: ClientApp }) {
  const recipes = createRecipes(app)
  const [title, setTitle] = useState<string | null>(recipes[0]?.title ?? null)
  const recipe = recipes.find((candidate) => candidate.title === title)
  return (
    <Section
      title="Connect an application"
      description="Settings to copy. Compare the redirect URI in them with the one that is registered."
    >
      {!app.workspace_id && (
        <Alert color="yellow" variant="light" mb="md">
          Do not map roles: this app is not bound to a workspace, and people own the workspaces that
          they create.
        </Alert>
      )}
      <Select
        label="Application"
        options={recipes.map((candidate) => ({ value: candidate.title, label: candidate.title }))}
        value={title}
        onChange={setTitle}
      />
      {recipe && (
        <Box mt="md">
          <CopyableCode code={recipe.code} label={`Settings of ${recipe.title}`} />
        </Box>
      )}
    </Section>
  )
}
