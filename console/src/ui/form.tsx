import { Alert, Button, Group, Modal } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'

/** The field that causes a conflict, by the reason of the error. */
const conflictFields: Record<string, string> = {
  ALREADY_A_MEMBER: 'email',
  EXTERNAL_ID_TAKEN: 'external_id',
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
  submit: () => void
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

  async function trySend(values: Fields) {
    setSubmitting(true)
    setProblem(undefined)
    try {
      await send(values)
    } catch (error) {
      const { fields, other } = assignErrors(error, Object.keys(initialValues))
      form.setErrors(fields)
      setProblem(other)
    } finally {
      setSubmitting(false)
    }
  }

  return { form, isSubmitting, problem, submit: form.onSubmit(trySend) as () => void }
}

function assignErrors(error: unknown, names: string[]) {
  const fields: Record<string, string> = {}
  const others: string[] = []
  const known = error instanceof ApiError ? error : undefined
  const conflict = conflictFields[known?.reason ?? '']
  if (known && conflict && names.includes(conflict)) {
    return { fields: { [conflict]: known.message }, other: undefined }
  }
  for (const { field, message } of known?.fields ?? []) {
    // Errors in `redirect_uris[1]` are shown next to the field `redirect_uris`.
    const [name = ''] = field.split(/[.[]/)
    if (!names.includes(name)) others.push(field ? `${field} ${message}` : message)
    else fields[name] ??= toSentence(`${describeItem(field)}${message}`)
  }
  const hasFields = (known?.fields.length ?? 0) > 0
  return { fields, other: hasFields ? others.join('; ') || undefined : describeError(error) }
}

function describeItem(field: string): string {
  const index = /\[(\d+)\]/.exec(field)?.[1]
  return index === undefined ? '' : `line ${Number(index) + 1} `
}

/** Converts a message of the API, such as `is required`, to a sentence. */
function toSentence(message: string): string {
  if (/^(is|has) /.test(message)) return `This field ${message}`
  return message.charAt(0).toUpperCase() + message.slice(1)
}

type FormModalProps<Fields extends Values> = {
  title: string
  /** The verb on the submit button. */
  action: string
  isDestructive?: boolean
  isOpen: boolean
  onClose: () => void
  initialValues: Fields
  send: (values: Fields) => Promise<unknown>
  children: (form: UseFormReturnType<Fields>) => ReactNode
}

/** A dialog with a form. It closes when the server has accepted the values. */
export function FormModal<Fields extends Values>(props: FormModalProps<Fields>) {
  const { title, isOpen, onClose } = props
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      // A click outside the dialog would discard the input.
      closeOnClickOutside={false}
      lockScroll={false}
      centered
    >
      {/* Unmounted when closed, so that it opens with the initial values. */}
      <FormModalBody {...props} />
    </Modal>
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
  const { form, isSubmitting, problem, submit } = useServerForm(initialValues, async (values) => {
    await send(values)
    onClose()
  })
  return (
    <form onSubmit={submit} noValidate>
      {children(form)}
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
