import type { Concerns } from './feed/concerned.ts'

/** What a feature declares about one event. docs/activity-log.md is generated from it. */
export type EventDeclaration = {
  /** The type of the target. */
  target: string
  /** The fields of the detail. */
  detail: readonly string[]
  /** The fields instead, if the event has another cause. */
  otherDetail?: readonly string[]
  /** What happened, for operators. */
  description: string
  /** The handlers that record the event. */
  recordedBy: readonly string[]
  /** Other code that records it. */
  alsoRecordedBy?: string
  /** The users whose permissions the event may have changed. Absent if it changes none. */
  concerns?: Concerns
}

/** The events of a feature, by their actions. */
export type EventTable = Readonly<Record<string, EventDeclaration>>

/** The events of the activity log itself. */
export const logEvents = {
  'activity.pruned': {
    target: 'activity',
    detail: ['entries', 'through', 'hash'],
    description:
      'Entries older than ACTIVITY_RETENTION_DAYS were deleted; the hash chain continues from the recorded hash',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
} as const satisfies EventTable

type LogEvents = typeof logEvents

/**
 * The events of all features. Each feature adds its own to this interface, so that the log knows
 * them without importing the feature. Two features that declare the same action do not compile.
 */
export interface ActivityEvents extends LogEvents {}

export type ActivityEventName = keyof ActivityEvents

/** The detail of an event. */
export type ActivityDetail<Name extends ActivityEventName> =
  | Record<ActivityEvents[Name]['detail'][number], string>
  | OtherDetail<ActivityEvents[Name]>

type OtherDetail<Declaration> = Declaration extends { otherDetail: readonly (infer Field)[] }
  ? Record<Field & string, string>
  : never

/** Returns whether a field of the detail is personal data, which can be erased from the log. */
export function isPersonalField(action: string, field: string): boolean {
  if (field === 'email' || field === 'subject' || field === 'condition') return true
  if (field === 'slug') return action.startsWith('workspace.')
  return action === 'user.renamed' && (field === 'from' || field === 'to')
}
