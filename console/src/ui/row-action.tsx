import { type Confirmation, useConfirm } from './confirm.tsx'
import classes from './row-action.module.css'

type Props = {
  /** The verb on the button. */
  label: string
  /** The label for screen readers, which contains the name of the row. */
  name: string
  confirmation: Confirmation
}

/** A button that removes the object of a row after a confirmation. */
export function RowAction({ label, name, confirmation }: Props) {
  const confirm = useConfirm()
  return <RowButton label={label} name={name} isDestructive onClick={() => confirm(confirmation)} />
}

/** A button in a row. */
export function RowButton({
  label,
  name,
  isDestructive = false,
  onClick,
}: Pick<Props, 'label' | 'name'> & { isDestructive?: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      className={classes.action}
      data-destructive={isDestructive || undefined}
      aria-label={name}
      onClick={onClick}
    >
      {label}
    </button>
  )
}
