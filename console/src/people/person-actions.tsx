import { Button, Menu, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { useAdministrator } from '../session/session.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { downloadText } from '../ui/download.ts'
import { FormModal } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { CorrectAddress } from './correct-address.tsx'
import { ErasePerson } from './erase-person.tsx'
import { type Person, refreshPeople } from './people-queries.ts'

/** The actions that an administrator can take on a person. */
export function PersonActions({ person }: { person: Person }) {
  const confirm = useConfirm()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'edit' | 'address' | 'erase'>()
  const isSelf = useAdministrator().id === person.id
  const name = person.name || person.email
  const params = { path: { user_id: person.id } }

  async function setActive(is_active: boolean) {
    await unwrap(api.PATCH('/admin/users/{user_id}', { params, body: { is_active } }))
    await refreshPeople()
    notifyDone(`${name} is ${is_active ? 'active again' : 'deactivated'}.`)
  }

  async function setAdministrator(is_admin: boolean) {
    const path = '/admin/users/{user_id}/administrator'
    await unwrap(api.PUT(path, { params, body: { is_admin } }))
    await refreshPeople()
    notifyDone(`${name} is ${is_admin ? 'now' : 'no longer'} an administrator.`)
  }

  async function exportData() {
    try {
      const data = await unwrap(api.GET('/admin/users/{user_id}/export', { params }))
      downloadText(`${person.email}.json`, 'application/json', JSON.stringify(data, undefined, 2))
    } catch (error) {
      notifyFailure(error)
    }
  }

  return (
    <>
      <Button variant="default" onClick={() => setDialog('edit')}>
        Edit
      </Button>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="chevronDown" size={16} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="download" size={16} />} onClick={exportData}>
            Export all data
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="user" size={16} />}
            onClick={() => setDialog('address')}
          >
            Correct the address
          </Menu.Item>
          <Menu.Divider />
          {person.is_admin ? (
            <Menu.Item
              color="var(--mantine-color-error)"
              disabled={isSelf}
              leftSection={<Icon name="lock" size={16} />}
              onClick={() =>
                confirm({
                  title: `Revoke administrator rights of ${name}?`,
                  children: `${person.email} is signed out of the admin console now. ADMIN_EMAILS does not restore the rights. Memberships and resources remain.`,
                  action: 'Revoke',
                  run: () => setAdministrator(false),
                })
              }
            >
              Revoke administrator rights
            </Menu.Item>
          ) : (
            <Menu.Item
              leftSection={<Icon name="key" size={16} />}
              onClick={() =>
                confirm({
                  title: `Make ${name} an administrator?`,
                  children: `${person.email} will be able to see and change everything, including service keys and other administrators.`,
                  action: 'Make administrator',
                  run: () => setAdministrator(true),
                })
              }
            >
              Make administrator
            </Menu.Item>
          )}
          {person.is_active ? (
            <Menu.Item
              color="var(--mantine-color-error)"
              disabled={isSelf}
              leftSection={<Icon name="lock" size={16} />}
              onClick={() =>
                confirm({
                  title: `Deactivate ${name}?`,
                  children: `All sessions of ${person.email} end now, and new sign-ins are refused. Memberships and resources remain.`,
                  action: 'Deactivate',
                  run: () => setActive(false),
                })
              }
            >
              Deactivate
            </Menu.Item>
          ) : (
            <Menu.Item
              leftSection={<Icon name="check" size={16} />}
              onClick={() => setActive(true).catch(notifyFailure)}
            >
              Activate
            </Menu.Item>
          )}
          <Menu.Item
            color="var(--mantine-color-error)"
            disabled={isSelf}
            leftSection={<Icon name="trash" size={16} />}
            onClick={() => setDialog('erase')}
          >
            Erase
          </Menu.Item>
          {isSelf && (
            <Text size="xs" c="dimmed" px="sm" py={4}>
              You cannot demote, deactivate or erase yourself.
            </Text>
          )}
        </Menu.Dropdown>
      </Menu>
      <FormModal
        title={`Edit ${name}`}
        action="Save"
        isOpen={dialog === 'edit'}
        onClose={() => setDialog(undefined)}
        initialValues={{ name: person.name, external_id: person.external_id ?? '' }}
        send={async (values) => {
          const changed = Object.entries(values).filter(
            ([field, value]) => value !== (person[field as 'name' | 'external_id'] ?? ''),
          )
          const body = Object.fromEntries(changed)
          await unwrap(api.PATCH('/admin/users/{user_id}', { params, body }))
          await refreshPeople()
          notifyDone('Saved.')
        }}
      >
        {(form) => (
          <>
            <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
            <TextInput
              label="External ID"
              description="The ID of this person in another system. It can be used in access requests."
              mt="md"
              {...form.getInputProps('external_id')}
            />
          </>
        )}
      </FormModal>
      <CorrectAddress
        person={person}
        isOpen={dialog === 'address'}
        onClose={() => setDialog(undefined)}
      />
      <ErasePerson
        person={person}
        isOpen={dialog === 'erase'}
        onClose={() => setDialog(undefined)}
        onErased={async () => {
          await navigate({ to: '/people' })
          await refreshPeople()
          notifyDone(`${name} was erased.`)
        }}
      />
    </>
  )
}
