import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { ErrorState } from '../ui/states.tsx'
import { type Connection, discoverIssuer, type IssuerConfiguration } from './connection-queries.ts'
import { IssuerFacts } from './issuer-facts.tsx'

/** A button that reads the configuration of the issuer, and what it has found or why it cannot be used. */
export function IssuerCheck({ connection }: { connection: Connection }) {
  const [isReading, setReading] = useState(false)
  const [found, setFound] = useState<IssuerConfiguration>()
  const [error, setError] = useState<unknown>()

  async function read() {
    setReading(true)
    setError(undefined)
    setFound(undefined)
    try {
      setFound(await discoverIssuer(connection.workspace_id, connection.issuer))
    } catch (error) {
      setError(error)
    } finally {
      setReading(false)
    }
  }

  return (
    <>
      <Group gap="xs" mb="sm">
        <Button variant="default" loading={isReading} onClick={read}>
          Read the configuration
        </Button>
      </Group>
      <div role="status">
        {found && <IssuerFacts configuration={found} />}
        {error !== undefined && <ErrorState error={describeProblem(error)} />}
      </div>
    </>
  )
}

/** Returns the error with the reason why the issuer cannot be used, which belongs to its field. */
function describeProblem(error: unknown): unknown {
  const field = error instanceof ApiError ? error.fields[0] : undefined
  return field ? new Error(`The issuer ${field.message}`) : error
}
