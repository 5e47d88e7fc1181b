import { Alert } from '@mantine/core'
import type { ApiError } from '../api/api-error.ts'
import { describe } from '../api/versions.ts'
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

/** Returns the label of a field of the API, such as `External ID` for `external_id`. */
function toLabel(field: string): string {
  const words = field
    .replaceAll('_', ' ')
    .replace(/\b(id|uris?|pkce)\b/g, (word) => (word === 'uris' ? 'URIs' : word.toUpperCase()))
  return words.charAt(0).toUpperCase() + words.slice(1)
}
