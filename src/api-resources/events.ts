import type { EventTable } from '../activity/events.ts'

/** The events of API resources. */
export const apiResourceEvents = {
  'service_app.resources_changed': {
    target: 'service_app',
    detail: ['name', 'service_name', 'resources', 'added', 'removed'],
    description:
      'The API resources of a service app changed, which ended the tokens of removed ones; counts them, and lists up to 20 that were added or removed with their scopes, or `none`',
    recordedBy: ['createServiceApp', 'updateServiceApp'],
  },
} as const satisfies EventTable

type ApiResourceEvents = typeof apiResourceEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends ApiResourceEvents {}
}
