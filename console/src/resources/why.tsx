import { Alert, Group, List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useName } from '../api/names.ts'
import { Icon } from '../ui/icon.tsx'
import { Section } from '../ui/page.tsx'
import { PersonPicker } from '../ui/pickers.tsx'
import { QueryState } from '../ui/states.tsx'
import { ActionSelect } from './action-select.tsx'
import { Reason } from './reason.tsx'
import { explanationQuery, type Resource } from './resource-queries.ts'

/**
 * Explains whether a person may perform an action, and why. The person and the action are part of
 * the address.
 */
export function Why({ resource }: { resource: Resource }) {
  const {
    user_id: userId,
    action = 'view',
    tab,
  } = useSearch({
    from: '/shell/resources/$permissionId',
  })
  const navigate = useNavigate({ from: '/resources/$permissionId' })
  function updateSearch(changes: { user_id?: string | undefined; action?: string | undefined }) {
    void navigate({ search: { tab, user_id: userId, action, ...changes }, replace: true })
  }
  return (
    <Section title="Why?" description="Choose a person to see why they have access, or why not.">
      <Group align="flex-end" gap="sm">
        <div style={{ flex: '1 1 16rem', maxWidth: '26rem' }}>
          <PersonPicker
            label="Person"
            placeholder="Name or e-mail address"
            value={userId ?? null}
            onChange={(id) => updateSearch({ user_id: id ?? undefined })}
          />
        </div>
        <ActionSelect
          service={resource.service_name}
          value={action}
          onChange={(action) => updateSearch({ action })}
        />
      </Group>
      {userId && <Explanation resource={resource} userId={userId} action={action} />}
    </Section>
  )
}

function Explanation({
  resource,
  userId,
  action,
}: {
  resource: Resource
  userId: string
  action: string
}) {
  const person = useName(userId)
  const explanation = useQuery(explanationQuery(resource.id, userId, action))
  return (
    <div style={{ marginTop: '1rem' }} aria-live="polite">
      <QueryState query={explanation} skeleton={null}>
        {({ decision, reasons }) => (
          <Alert
            color={decision ? 'leaf' : 'red'}
            variant="light"
            icon={<Icon name={decision ? 'check' : 'close'} />}
            title={`${person.data?.name ?? 'This person'} ${decision ? 'may' : 'may not'} ${action} it`}
          >
            <List spacing={4} size="sm">
              {reasons.map((reason, index) => (
                <List.Item key={index}>
                  <Reason reason={reason} />
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
      </QueryState>
    </div>
  )
}
