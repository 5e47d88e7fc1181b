import { Alert, Button, Group } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { ApiError, describeError, type Reason } from '../api/api-error.ts'
import { keepVersions } from '../api/versions.ts'
import { Conflict } from './conflict.tsx'
import { Dialog } from './dialog.tsx'
import { toLabel } from './field-label.ts'
import { useRefusalFocus } from './refusal-focus.ts'

/** The field that causes an error that names none, by the reason of the error. */
const fieldsOfReasons: Partial<Record<Reason, string>> = {
  ALREADY_A_MEMBER: 'email',
  DIRECTORY_OWNED: 'email',
  EMAIL_TAKEN: 'email',
  EXTERNAL_ID_TAKEN: 'external_id',
  GRANTEE_NOT_FOUND: 'grantee_id',
  GROUP_NAME_TAKEN: 'name',
  ROLE_NAME_TAKEN: 'name',
  SLUG_TAKEN: 'slug',
}

type Values = Record<string, unknown>

export type ServerForm<Fields extends Values> = {
  form: UseFormReturnType<Fields>
  isSubmitting: boolean
  /** The message of an error that does not belong to a field of the form. */
  problem: string | undefined
  /** The error if somebody else has changed the object. */
  conflict: ApiError | undefined
  submit: () => void
  /** The ref of the form, in which the focus moves to what was refused. */
  root: RefObject<HTMLFormElement | null>
}

/**
 * Creates a form whose errors come from the server. Errors of a field are shown next to it, all
 * others above the buttons.
 */
export function useServerForm<Fields extends Values>(
  initialValues: Fields,
  send: (values: Fields) => Promise<unknown>,
): ServerForm<Fields> {
  const form = useForm<Fields>({ initialValues })
  const [isSubmitting, setSubmitting] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [conflict, setConflict] = useState<ApiError>()
  const [refusal, setRefusal] = useState<unknown>()
  const root = useRefusalFocus<HTMLFormElement>(refusal)

  async function trySend(values: Fields) {
    setSubmitting(true)
    setProblem(undefined)
    setConflict(undefined)
    try {
      await send(values)
    } catch (error) {
      setRefusal(error)
      if (error instanceof ApiError && error.isConflict) {
        setConflict(error)
        takeOver(form, error)
        return
      }
      const { fields, other } = assignErrors(error, values)
      form.setErrors(fields)
      setProblem(other)
    } finally {
      setSubmitting(false)
    }
  }

  const submit = form.onSubmit(trySend) as () => void
  return { form, isSubmitting, problem, conflict, submit, root }
}

/** Shows the new values of fields that the administrator has not edited, so that they remain. */
function takeOver<Fields extends Values>(form: UseFormReturnType<Fields>, error: ApiError): void {
  for (const { field, to } of error.changes) {
    const value = form.getValues()[field]
    if (typeof value !== 'string' || form.isDirty(field)) continue
    form.setFieldValue(field, toText(to) as never)
  }
}

/** Returns a value of the API as the text of a field: a list with one item per line, or JSON. */
function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join('\n')
  return isObject(value) ? JSON.stringify(value, null, 2) : String(value ?? '')
}

function assignErrors(error: unknown, values: Values) {
  const fields: Record<string, string> = {}
  const others: string[] = []
  const known = error instanceof ApiError ? error : undefined
  const named = fieldsOfReasons[known?.reason ?? 'UNKNOWN']
  if (known && named && named in values) {
    return { fields: { [named]: known.message }, other: undefined }
  }
  for (const { field, message } of known?.fields ?? []) {
    const { name, item } = findField(field, values)
    if (!name) others.push(field ? `${toLabel(field)} ${message}` : message)
    else fields[name] ??= toSentence(`${item}${message}`)
  }
  const hasFields = (known?.fields.length ?? 0) > 0
  return { fields, other: hasFields ? others.join('; ') || undefined : describeError(error) }
}

/**
 * Returns the field next to which an error is shown, and the item of its value that the error is
 * about: a line of `redirect_uris` for `redirect_uris[1]`, a choice in `roles.0.actions` for
 * `roles[0].actions[1]`, and `parameters.0` for `parameters.limit`.
 */
function findField(path: string, values: Values): { name: string; item: string } {
  const names: string[] = []
  let value: unknown = values
  for (const part of path.match(/[^.[\]]+/g) ?? []) {
    const segment = toPosition(value, part)
    const inner = isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined
    const isField = inner !== undefined && (!Array.isArray(value) || isObject(inner))
    if (!isField) return { name: names.join('.'), item: describeItem(value, segment) }
    names.push(segment)
    value = inner
  }
  return { name: names.join('.'), item: '' }
}

/** Returns the position of the item with a name: the API has some lists of the form by name. */
function toPosition(value: unknown, segment: string): string {
  if (!Array.isArray(value)) return segment
  const position = value.findIndex((item) => isObject(item) && item.name === segment)
  return position === -1 ? segment : String(position)
}

function describeItem(value: unknown, segment: string): string {
  if (Array.isArray(value)) return `“${value[Number(segment)]}” `
  return /^\d+$/.test(segment) ? `line ${Number(segment) + 1} ` : ''
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null
}

/**
 * Converts a message of the API, such as `is required`, to a sentence. The fields that the API would accept instead
 * are not in the form.
 */
function toSentence(message: string): string {
  if (message.startsWith('is required, or ')) return 'This field is required'
  if (/^(is|has) /.test(message)) return `This field ${message}`
  return message.charAt(0).toUpperCase() + message.slice(1)
}

type FormModalProps<Fields extends Values> = {
  title: string
  /** The verb on the submit button. */
  action: string
  isDestructive?: boolean
  size?: 'lg'
  isOpen: boolean
  onClose: () => void
  initialValues: Fields
  send: (values: Fields) => Promise<unknown>
  children: (form: UseFormReturnType<Fields>) => ReactNode
}

/** A dialog with a form. It closes when the server has accepted the values. */
export function FormModal<Fields extends Values>(props: FormModalProps<Fields>) {
  const { title, size, isOpen, onClose } = props
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      title={title}
      {...(size && { size })}
      // A click outside the dialog would discard the input.
      closeOnClickOutside={false}
    >
      {/* Unmounted when closed, so that it opens with the initial values. */}
      <FormModalBody {...props} />
    </Dialog>
  )
}

function FormModalBody<Fields extends Values>({
  action,
  isDestructive = false,
  onClose,
  initialValues,
  send,
  children,
}: FormModalProps<Fields>) {
  const { form, isSubmitting, problem, conflict, submit, root } = useServerForm(
    initialValues,
    async (values) => {
      await send(values)
      onClose()
    },
  )
  useEffect(keepVersions, [])
  return (
    <form ref={root} onSubmit={submit} noValidate>
      {children(form)}
      {conflict && <Conflict error={conflict} action={action} />}
      {problem && (
        <Alert color="red" variant="light" role="alert" mt="md">
          {problem}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={isSubmitting} {...(isDestructive && { color: 'red' })}>
          {action}
        </Button>
      </Group>
    </form>
  )
}
