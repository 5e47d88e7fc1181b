import { Box, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { actions } from '../activity/activity-actions.ts'
import { toLines } from '../ui/lines.ts'
import { LinesField } from '../ui/lines-field.tsx'
import { Select } from '../ui/select.tsx'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import type { Webhook } from './webhook-queries.ts'

/** The fields of a webhook. The events are edited as text with one per line. */
export type WebhookFields = {
  url: string
  description: string
  events: string
  workspace_id: string | null
}

export const emptyWebhook: WebhookFields = {
  url: '',
  description: '',
  events: '',
  workspace_id: null,
}

export function toWebhookFields({ url, description, events, workspace_id }: Webhook) {
  return { url, description, events: events.join('\n'), workspace_id }
}

export function toWebhookBody({ url, description, events, workspace_id }: WebhookFields) {
  return {
    url: url.trim(),
    description,
    events: toLines(events),
    workspace_id,
  }
}

/** The prefixes of several actions, each followed by the actions that begin with it. */
const choices = [...Map.groupBy(actions, (action) => action.split('.')[0])]
  .flatMap(([target, names]) => (names.length > 1 ? [`${target}.*`, ...names] : names))
  .map((value) => ({ value, label: value }))

type Props = {
  form: UseFormReturnType<WebhookFields>
  /** Whether the webhook exists, so that its workspace cannot be changed. */
  isEdit?: boolean
}

/** The fields of a webhook. */
export function WebhookForm({ form, isEdit = false }: Props) {
  const { events } = form.values
  const chosen = toLines(events)
  return (
    <>
      <TextInput
        label="URL"
        type="url"
        description="Receives the events. It must be https."
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput
        label="Description"
        description="A label for administrators. Optional."
        mt="md"
        {...form.getInputProps('description')}
      />
      <LinesField
        label="Events"
        description="One per line; member.* selects all that begin with member. Leave empty for all."
        minRows={2}
        maxRows={8}
        {...form.getInputProps('events')}
      />
      <Select
        label="Add an event"
        placeholder="Find an event"
        options={choices.filter(({ value }) => !chosen.includes(value))}
        isSearchable
        mt="xs"
        value={null}
        onChange={(event) => form.setFieldValue('events', [...chosen, event ?? ''].join('\n'))}
      />
      {!isEdit && (
        <Box mt="md">
          <WorkspacePicker
            label="Workspace"
            placeholder="All workspaces"
            description="Sends only the events of one workspace. This cannot be changed later."
            {...form.getInputProps('workspace_id')}
          />
        </Box>
      )}
    </>
  )
}
