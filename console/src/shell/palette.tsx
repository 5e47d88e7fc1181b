import { UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { memo, useDeferredValue, useState } from 'react'
import { peopleQuery } from '../people/people-queries.ts'
import { resourcesQuery } from '../resources/resource-queries.ts'
import { Deferred } from '../ui/deferred.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { screens } from './screens.ts'

export const openPalette = spotlight.open

/** Finds screens, people and workspaces by name, and resources by ID. */
export function Palette() {
  const [text, setText] = useState('')
  // Deferred, so that a keystroke appears in the field before the results are rendered.
  const deferredText = useDeferredValue(text)
  return (
    <Spotlight.Root
      query={text}
      onQueryChange={setText}
      shortcut={['mod + K']}
      lockScroll={false}
      // Opens without a transition, so that the field has the focus before the next keystroke.
      transitionProps={{ duration: 0 }}
      scrollable
      maxHeight="min(26rem, 70vh)"
      // The same as for dialogs. Blurring the page would be very slow without a GPU.
      overlayProps={{ backgroundOpacity: 0.35 }}
    >
      <Spotlight.Search
        placeholder="Find people, workspaces, resources and screens"
        aria-label="Find people, workspaces, resources and screens"
        leftSection={<Icon name="search" />}
      />
      <Deferred>
        <Spotlight.ActionsList>
          <Results text={deferredText} />
        </Spotlight.ActionsList>
      </Deferred>
    </Spotlight.Root>
  )
}

const Results = memo(function Results({ text }: { text: string }) {
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
    // The ID of a resource must match as a whole, and usually has no spaces.
    enabled: /^\S{3,255}$/.test(q),
  })
  const foundPeople = word ? (people.data?.items ?? []) : []
  const foundWorkspaces = word ? (workspaces.data?.items ?? []) : []
  const foundResources = word ? (resources.data?.items ?? []) : []
  const found = [matching, foundPeople, foundWorkspaces, foundResources]
  if (found.every(({ length }) => length === 0))
    return <Spotlight.Empty>Nothing found</Spotlight.Empty>
  return (
    <>
      {matching.length > 0 && (
        <Spotlight.ActionsGroup label="Screens">
          {matching.map(({ to, label, icon }) => (
            <Result key={to} label={label} icon={icon} onChoose={() => navigate({ to })} />
          ))}
        </Spotlight.ActionsGroup>
      )}
      {foundPeople.length > 0 && (
        <Spotlight.ActionsGroup label="People">
          {foundPeople.map(({ id, name, email }) => (
            <Result
              key={id}
              label={name || email}
              description={name ? email : ''}
              icon="user"
              onChoose={() => navigate({ to: '/people/$userId', params: { userId: id } })}
            />
          ))}
        </Spotlight.ActionsGroup>
      )}
      {foundWorkspaces.length > 0 && (
        <Spotlight.ActionsGroup label="Workspaces">
          {foundWorkspaces.map(({ id, name, slug }) => (
            <Result
              key={id}
              label={name}
              description={slug}
              icon="building"
              onChoose={() =>
                navigate({ to: '/workspaces/$workspaceId', params: { workspaceId: id } })
              }
            />
          ))}
        </Spotlight.ActionsGroup>
      )}
      {foundResources.length > 0 && (
        <Spotlight.ActionsGroup label="Resources">
          {foundResources.map(({ id, external_id, resource_id, resource_type, service_name }) => (
            <Result
              key={id}
              label={external_id ?? resource_id}
              description={`${resource_type} of ${service_name}`}
              icon="file"
              onChoose={() =>
                navigate({ to: '/resources/$permissionId', params: { permissionId: id } })
              }
            />
          ))}
        </Spotlight.ActionsGroup>
      )}
    </>
  )
})

type ResultProps = { icon: IconName; label: string; description?: string; onChoose: () => void }

/** Looks like `Spotlight.Action`, which would render again on each keystroke. */
function Result({ icon, label, description, onChoose }: ResultProps) {
  const { classes } = Spotlight
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`${UnstyledButton.classes.root} ${classes.action}`}
      data-action
      // Keeps the focus in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        spotlight.close()
        onChoose()
      }}
    >
      <span className={classes.actionSection} data-position="left" data-dimmed>
        <Icon name={icon} />
      </span>
      <span className={classes.actionBody}>
        <span className={classes.actionLabel}>{label}</span>
        <span className={classes.actionDescription}>{description}</span>
      </span>
    </button>
  )
}
