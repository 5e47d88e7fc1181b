import { Modal, type ModalProps } from '@mantine/core'

/** A dialog that can be closed only with its own buttons. */
export function PersistentModal(props: Omit<ModalProps, 'onClose'>) {
  return (
    <Modal
      {...props}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      lockScroll={false}
      centered
    />
  )
}
