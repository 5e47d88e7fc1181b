import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { peopleQuery } from '../people/people-queries.ts'
import { resourcesQuery } from '../resources/resource-queries.ts'
import { Icon } from '../ui/icon.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { screens } from './screens.ts'

export const openPalette = spotlight.open

/** Finds screens, people and workspaces by name, and resources by ID. */
export function Palette() {
  const [text, setText] = useState('')
  const navigate = useNavigate()
  const [q] = useDebouncedValue(text.trim(), 200)
  const word = text.trim().toLowerCase()
  const matching = screens.filter(({ label }) => label.toLowerCase().includes(word))
  const people = useQuery({
    ...peopleQuery({ q, page_size: 5 }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const workspaces = useQuery({
    ...workspacesQuery({ q, page: 1, page_size: 5 }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const resources = useQuery({
    ...resourcesQuery({ external_id: q, page_size: 5 }),
    // The ID of a resource is searched as a whole, and has no spaces as a rule.
    enabled: /^\S{3,255}$/.test(q),
  })
  const foundPeople = word ? (people.data?.items ?? []) : []
  const foundWorkspaces = word ? (workspaces.data?.items ?? []) : []
  const foundResources = word ? (resources.data?.items ?? []) : []
  const found = [matching, foundPeople, foundWorkspaces, foundResources]
  const isEmpty = found.every(({ length }) => length === 0)

  return (
    <Spotlight.Root
      query={text}
      onQueryChange={setText}
      shortcut={['mod + K']}
      lockScroll={false}
      // Without a delay, so that it has the focus before the next key is pressed.
      transitionProps={{ duration: 0 }}
      scrollable
      maxHeight="min(26rem, 70vh)"
    >
      <Spotlight.Search
        placeholder="Find people, workspaces, resources and screens"
        aria-label="Find people, workspaces, resources and screens"
        leftSection={<Icon name="search" />}
      />
      <Spotlight.ActionsList>
        {isEmpty && <Spotlight.Empty>Nothing found</Spotlight.Empty>}
        {matching.length > 0 && (
          <Spotlight.ActionsGroup label="Screens">
            {matching.map(({ to, label, icon }) => (
              <Spotlight.Action
                key={to}
                label={label}
                leftSection={<Icon name={icon} />}
                onClick={() => navigate({ to })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {foundPeople.length > 0 && (
          <Spotlight.ActionsGroup label="People">
            {foundPeople.map(({ id, name, email }) => (
              <Spotlight.Action
                key={id}
                label={name || email}
                description={name ? email : ''}
                leftSection={<Icon name="user" />}
                onClick={() => navigate({ to: '/people/$userId', params: { userId: id } })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {foundWorkspaces.length > 0 && (
          <Spotlight.ActionsGroup label="Workspaces">
            {foundWorkspaces.map(({ id, name, slug }) => (
              <Spotlight.Action
                key={id}
                label={name}
                description={slug}
                leftSection={<Icon name="building" />}
                onClick={() =>
                  navigate({ to: '/workspaces/$workspaceId', params: { workspaceId: id } })
                }
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {foundResources.length > 0 && (
          <Spotlight.ActionsGroup label="Resources">
            {foundResources.map(({ id, external_id, resource_id, resource_type, service_name }) => (
              <Spotlight.Action
                key={id}
                label={external_id ?? resource_id}
                description={`${resource_type} of ${service_name}`}
                leftSection={<Icon name="file" />}
                onClick={() =>
                  navigate({ to: '/resources/$permissionId', params: { permissionId: id } })
                }
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
