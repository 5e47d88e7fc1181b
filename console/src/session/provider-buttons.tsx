import { Button, Stack } from '@mantine/core'
import { settings } from '../settings.ts'
import { signInUrl } from './session.ts'

/** Shows one link per identity provider. */
export function ProviderButtons({
  returnTo,
  newWindow,
}: {
  returnTo: string
  newWindow?: boolean
}) {
  if (settings.providers.length === 0) {
    return (
      <p>No identity provider is configured. Set GOOGLE_CLIENT_ID or another one on the server.</p>
    )
  }
  return (
    <Stack gap="xs">
      {settings.providers.map(({ name, title }, index) => (
        <Button
          key={name}
          component="a"
          href={signInUrl(name, returnTo)}
          target={newWindow ? 'daikon-sign-in' : undefined}
          rel={newWindow ? 'opener' : undefined}
          variant={index === 0 ? 'filled' : 'default'}
          size="md"
          fullWidth
        >
          Continue with {title}
        </Button>
      ))}
    </Stack>
  )
}
