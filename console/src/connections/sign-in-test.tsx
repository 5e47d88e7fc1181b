import { Alert, Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '../api/api-error.ts'
import { describeSignInError } from '../session/sign-in-errors.ts'
import { CopyTextButton } from '../ui/copy.tsx'
import { createSignInUrl } from '../workspace-console/oauth.ts'
import { createPendingSignIn } from '../workspace-console/pkce.ts'
import { signInElsewhere } from '../workspace-console/sign-in-window.ts'
import { type Connection, refreshConnections } from './connection-queries.ts'
import classes from './connections.module.css'

type Result = { isWaiting: true } | { isWaiting: false; error: string | null }

/**
 * Signs in through a connection in another window and shows what came of it. The code that the window receives
 * is not redeemed, so the console keeps its own session.
 */
export function SignInTest({ connection }: { connection: Connection }) {
  const { id, workspace_id, is_active } = connection
  const [result, setResult] = useState<Result>()
  const options = { workspace: workspace_id, connection: id, prompt: 'login' as const }
  const link = useQuery({
    queryKey: ['connections', 'sign-in-link', id],
    queryFn: () => createSignInUrl(createPendingSignIn(), options),
    staleTime: Number.POSITIVE_INFINITY,
  })

  async function test() {
    setResult({ isWaiting: true })
    try {
      const { response } = await signInElsewhere(options)
      const error = response.get('error')
      setResult({
        isWaiting: false,
        error: error && describeSignInError(error, response.get('error_description')),
      })
    } catch (error) {
      setResult({ isWaiting: false, error: describeError(error) })
    }
    await refreshConnections()
  }

  return (
    <>
      <p className={classes.help}>
        Sign in as a person of the company. This browser is then signed in to daikon as that person;
        open the link in a private window to avoid that.
      </p>
      <Group gap="xs" my="sm">
        <Button variant="default" disabled={!is_active} onClick={test}>
          Test the sign-in
        </Button>
        {link.data && <CopyTextButton value={link.data} label="Copy link" />}
      </Group>
      <div role="status">{result && <TestResult result={result} />}</div>
    </>
  )
}

function TestResult({ result }: { result: Result }) {
  if (result.isWaiting) return <p className={classes.help}>Waiting for the other window…</p>
  const { error } = result
  return (
    <Alert
      color={error ? 'red' : 'leaf'}
      variant="light"
      mb="sm"
      title={error ? 'The sign-in failed' : 'The sign-in works'}
    >
      {error}
    </Alert>
  )
}
