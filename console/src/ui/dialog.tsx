import { Modal, type ModalProps } from '@mantine/core'
import { useReturnFocus } from './return-focus.ts'

/** A dialog in the middle of the screen; all dialogs use it. */
export function Dialog(props: ModalProps) {
  useReturnFocus(props.opened)
  return (
    <Modal
      {...props}
      closeButtonProps={{ 'aria-label': 'Close' }}
      returnFocus={false}
      lockScroll={false}
      centered
    />
  )
}

/** A dialog that can be closed only with its own buttons. */
export function PersistentDialog(props: Omit<ModalProps, 'onClose'>) {
  return (
    <Dialog
      {...props}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    />
  )
}
