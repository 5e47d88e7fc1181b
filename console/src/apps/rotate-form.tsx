import { FormModal } from '../ui/form.tsx'
import { Select } from '../ui/select.tsx'

/** Choices for how long older keys remain valid after a rotation, in seconds. */
const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: 'One hour' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: 'One week' },
  { value: '2592000', label: '30 days' },
]

type Props = {
  /** The kind of credential: `key` or `secret`. */
  noun: string
  appName: string
  isOpen: boolean
  onClose: () => void
  rotate: (overlapSeconds: number) => Promise<unknown>
}

/** Lets the administrator choose how long the old key or secret remains valid. */
export function RotateForm({ noun, appName, isOpen, onClose, rotate }: Props) {
  return (
    <FormModal
      title={`Rotate the ${noun} of ${appName}`}
      action={`Create new ${noun}`}
      isOpen={isOpen}
      onClose={onClose}
      initialValues={{ overlap_seconds: '86400' }}
      send={({ overlap_seconds }) => rotate(Number(overlap_seconds))}
    >
      {(form) => (
        <Select
          label={`The old ${noun}s remain valid`}
          description={`Time to give the new ${noun} to every instance.`}
          options={overlaps}
          {...form.getInputProps('overlap_seconds')}
        />
      )}
    </FormModal>
  )
}
