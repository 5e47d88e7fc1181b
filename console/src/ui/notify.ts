import { notifications } from '@mantine/notifications'
import { describeError } from '../api/api-error.ts'

const closeButtonProps = { 'aria-label': 'Close the notification' }

/** Shows that an action succeeded. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'leaf', autoClose: 4000, closeButtonProps })
}

/** Shows the error of an action that was started without a dialog, and its consequence as title. */
export function notifyFailure(error: unknown, title?: string): void {
  const message = describeError(error)
  notifications.show({ title, message, color: 'red', autoClose: 10_000, closeButtonProps })
}
