import { notifications } from '@mantine/notifications'
import { describeError } from '../api/api-error.ts'

/** Says that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'leaf', autoClose: 4000 })
}

/** Says that something failed that was started without a dialog. */
export function notifyFailure(error: unknown): void {
  notifications.show({ message: describeError(error), color: 'red', autoClose: 10_000 })
}
