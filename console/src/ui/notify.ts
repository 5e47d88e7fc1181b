import { notifications } from '@mantine/notifications'
import { describeError } from '../api/api-error.ts'

/** Shows that an action succeeded. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'leaf', autoClose: 4000 })
}

/** Shows the error of an action that was started without a dialog. */
export function notifyFailure(error: unknown): void {
  notifications.show({ message: describeError(error), color: 'red', autoClose: 10_000 })
}
