import { DaikonProvider, useCan, useDaikon, useUser } from '@daikon-auth/browser/react'
import { daikon } from './app.ts'

function EditButton({ id }: { id: string }) {
  const canEdit: boolean | undefined = useCan('edit', { type: 'document', id })
  return (
    <button type="button" disabled={!canEdit}>
      Edit
    </button>
  )
}

function Page() {
  const client = useDaikon()
  const user = useUser()
  if (user === undefined) return <p>Loading</p>
  if (!user)
    return (
      <button type="button" onClick={() => void client.signIn()}>
        Sign in
      </button>
    )
  return (
    <p>
      {user.name} <EditButton id="roadmap" />
    </p>
  )
}

export const app = (
  <DaikonProvider daikon={daikon} onError={(error) => console.error(error.reason)}>
    <Page />
  </DaikonProvider>
)
