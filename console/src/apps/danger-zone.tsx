import { Button } from '@mantine/core'
import { Section } from '../ui/page.tsx'

type Props = {
  description: string
  isActive: boolean
  onActivate: () => void
  onDeactivate: () => void
  onDelete: () => void
}

/** Actions that deactivate or delete an app. */
export function DangerZone({ description, isActive, onActivate, onDeactivate, onDelete }: Props) {
  return (
    <Section
      title="Danger zone"
      description={description}
      actions={
        <>
          {isActive ? (
            <Button color="red" variant="outline" onClick={onDeactivate}>
              Deactivate
            </Button>
          ) : (
            <Button variant="default" onClick={onActivate}>
              Activate
            </Button>
          )}
          <Button color="red" variant="outline" onClick={onDelete}>
            Delete
          </Button>
        </>
      }
    >
      {null}
    </Section>
  )
}
