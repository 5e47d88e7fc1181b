import { ActionIcon, Menu, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { FormModal } from './form.tsx'
import { Icon } from './icon.tsx'
import { notifyDone } from './notify.ts'
import { usePreference } from './preferences.ts'

type Search = Record<string, string | number | boolean | undefined>
type SavedFilter<Filters> = { name: string; filters: Filters }

type Props<Filters> = {
  /** The name of the list, under which the browser stores its filters. */
  list: string
  /** The filters in the address, without the page. */
  filters: Filters
  onApply: (filters: Filters) => void
}

/** The maximum number of saved filters of a list. */
const maxFilters = 20

/** A menu of filters that the administrator has saved in the browser. */
export function SavedFilters<Filters extends Search>({ list, filters, onApply }: Props<Filters>) {
  const [saved, setSaved] = usePreference<SavedFilter<Filters>[]>(`filters.${list}`, [])
  const [isNaming, setNaming] = useState(false)
  const key = toKey(filters)
  const current = saved.find((filter) => toKey(filter.filters) === key)

  function save(name: string) {
    const others = saved.filter((filter) => filter.name !== name)
    if (others.length >= maxFilters) throw tooMany()
    setSaved([...others, { name, filters }])
    notifyDone(`The filters are saved as ${name}.`)
  }

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="Saved filters" title="Saved filters">
            <Icon name="bookmark" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Saved filters</Menu.Label>
          {saved.map(({ name, filters }) => (
            <Menu.Item
              key={name}
              leftSection={<Icon name={name === current?.name ? 'check' : 'bookmark'} size={16} />}
              onClick={() => onApply(filters)}
            >
              <bdi>{name}</bdi>
            </Menu.Item>
          ))}
          {current ? (
            <Menu.Item
              color="var(--mantine-color-error)"
              leftSection={<Icon name="trash" size={16} />}
              onClick={() => setSaved(saved.filter((filter) => filter !== current))}
            >
              Forget <bdi>{current.name}</bdi>
            </Menu.Item>
          ) : (
            <Menu.Item
              disabled={key === toKey({})}
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => setNaming(true)}
            >
              Save these filters…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <FormModal
        title="Save these filters"
        action="Save"
        isOpen={isNaming}
        onClose={() => setNaming(false)}
        initialValues={{ name: '' }}
        send={async ({ name }) => {
          if (!name.trim()) throw invalidName('is required')
          save(name.trim())
        }}
      >
        {(form) => (
          <TextInput
            label="Name"
            description="Only this browser knows it. Filters of the same name are replaced."
            maxLength={60}
            data-autofocus
            {...form.getInputProps('name')}
          />
        )}
      </FormModal>
    </>
  )
}

/** Returns a text that is equal for equal filters, in whatever order they were set. */
function toKey(filters: Search): string {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined)
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function invalidName(message: string): ApiError {
  return new ApiError(422, { errors: [{ field: 'name', message }] })
}

function tooMany(): ApiError {
  return invalidName(`cannot be added: forget one of the ${maxFilters} saved filters first`)
}
