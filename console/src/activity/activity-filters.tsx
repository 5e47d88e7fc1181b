import { TextInput } from '@mantine/core'
import { AgentPicker } from '../delegations/agent-picker.tsx'
import { FilterSelect } from '../ui/filter-select.tsx'
import { PersonPicker } from '../ui/pickers.tsx'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import { actions, targetTypes } from './activity-actions.ts'
import classes from './activity-filters.module.css'
import { describeAction, describeType } from './describe.ts'
import { TargetPicker } from './target-picker.tsx'

/** The filters in the address. */
export type ActivitySearch = {
  action?: string | undefined
  target_type?: string | undefined
  actor_id?: string | undefined
  agent_id?: string | undefined
  target_id?: string | undefined
  workspace_id?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

type Props = { search: ActivitySearch; onChange: (change: ActivitySearch) => void }

/** The filters above the activity log. */
export function ActivityFilters({ search, onChange }: Props) {
  return (
    <div className={classes.filters}>
      <TargetPicker
        label="About"
        isFilter
        value={search.target_id ?? null}
        onChange={(id) => onChange({ target_id: id ?? undefined })}
      />
      <PersonPicker
        label="By"
        isFilter
        value={search.actor_id ?? null}
        onChange={(id) => onChange({ actor_id: id ?? undefined })}
      />
      <AgentPicker
        label="Through"
        isFilter
        workspaceId={search.workspace_id}
        value={search.agent_id ?? null}
        onChange={(id) => onChange({ agent_id: id ?? undefined })}
      />
      <WorkspacePicker
        label="Workspace"
        isFilter
        value={search.workspace_id ?? null}
        onChange={(id) => onChange({ workspace_id: id ?? undefined })}
      />
      <FilterSelect
        label="Event"
        placeholder="Any event"
        options={actions.map((action) => ({ value: action, label: describeAction(action) }))}
        value={search.action}
        onChange={(action) => onChange({ action })}
        isSearchable
        w="100%"
      />
      <FilterSelect
        label="Type of target"
        placeholder="Any target"
        options={targetTypes.map((type) => ({ value: type, label: describeType(type) }))}
        value={search.target_type}
        onChange={(target_type) => onChange({ target_type })}
        w="100%"
      />
      <DayInput label="From" value={search.since} onChange={(since) => onChange({ since })} />
      <DayInput label="To" value={search.until} onChange={(until) => onChange({ until })} />
    </div>
  )
}

function DayInput({
  label,
  value = '',
  onChange,
}: {
  label: string
  value: string | undefined
  onChange: (day: string | undefined) => void
}) {
  return (
    <TextInput
      type="date"
      aria-label={`${label} day`}
      leftSection={<span className={classes.dateLabel}>{label}</span>}
      leftSectionWidth={56}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  )
}
