import { Alert } from '@mantine/core'
import type { ApiError } from '../api/api-error.ts'
import { describe } from '../api/versions.ts'
import { toLabel } from './field-label.ts'
import { Icon } from './icon.tsx'

/** Shows what somebody else has changed while a dialog was open. */
export function Conflict({ error: { changes }, action }: { error: ApiError; action: string }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      role="alert"
      mt="md"
      icon={<Icon name="alert" />}
      title="Someone has changed this in the meantime"
    >
      {changes.length > 0 && (
        <ul>
          {changes.map(({ field, from, to }) => (
            <li key={field}>
              {toLabel(field)}: <del>{describe(from)}</del> → <b>{describe(to)}</b>
            </li>
          ))}
        </ul>
      )}
      Nothing has been changed. Choose “{action}” again to continue.
    </Alert>
  )
}
