import { Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { hasFeature } from '../settings.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { FormModal } from '../ui/form.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Facts } from '../ui/page.tsx'
import { MemberPicker } from '../ui/pickers.tsx'
import { Time } from '../ui/time.tsx'
import { ApiKeys } from './api-keys.tsx'
import { ServiceAccountForm, toAccountBody, toAccountFields } from './service-account-form.tsx'
import { deleteAccount, type ServiceAccount, updateAccount } from './service-account-queries.ts'

/** A service account with its keys, and what can be done with it. */
export function AccountPanel({ account }: { account: ServiceAccount }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const confirm = useConfirm()
  const { name, is_active } = account
  const close = () => setDialog(undefined)

  async function setActive(is_active: boolean) {
    await updateAccount(account, { is_active })
    notifyDone(`${name} is ${is_active ? 'active again' : 'deactivated'}.`)
  }

  return (
    <>
      <Group gap="xs" mb="md">
        <Button
          size="xs"
          variant="default"
          aria-label={`Edit ${name}`}
          onClick={() => setDialog('edit')}
        >
          Edit
        </Button>
        {is_active ? (
          <Button
            size="xs"
            variant="default"
            aria-label={`Deactivate ${name}`}
            onClick={() =>
              confirm({
                title: `Deactivate ${name}?`,
                children:
                  'Its keys and tokens end for good. If it is activated again, it needs new keys.',
                action: 'Deactivate',
                run: () => setActive(false),
              })
            }
          >
            Deactivate
          </Button>
        ) : (
          <Button
            size="xs"
            variant="default"
            aria-label={`Activate ${name}`}
            onClick={() => setActive(true).catch(notifyFailure)}
          >
            Activate
          </Button>
        )}
        <Button
          size="xs"
          variant="subtle"
          color="red"
          aria-label={`Delete ${name}`}
          onClick={() => setDialog('delete')}
        >
          Delete
        </Button>
      </Group>
      <Facts
        items={[
          ['Ends', <Time key="ends" value={account.expires_at} />],
          ['Created', <Time key="created" value={account.created_at} />],
          ...delegationFacts(account),
          ['ID', <CopyableId key="id" id={account.id} />],
        ]}
      />
      <ApiKeys account={account} />
      <FormModal
        title={`Edit ${name}`}
        action="Save"
        isOpen={dialog === 'edit'}
        onClose={close}
        initialValues={toAccountFields(account)}
        send={(values) => updateAccount(account, toAccountBody(values))}
      >
        {(form) => <ServiceAccountForm form={form} />}
      </FormModal>
      <FormModal
        title={`Delete ${name}?`}
        action="Delete account"
        isDestructive
        isOpen={dialog === 'delete'}
        onClose={close}
        initialValues={{ transfer_to: null as string | null }}
        send={async ({ transfer_to }) => {
          await deleteAccount(account, transfer_to)
          notifyDone(`${name} was deleted.`)
        }}
      >
        {(form) => (
          <>
            <Text mb="md">
              Its keys and tokens end immediately, and it loses its groups, custom roles and shares.
            </Text>
            <MemberPicker
              label="Give its resources to"
              description="Required if it owns resources."
              workspaceId={account.workspace_id}
              {...form.getInputProps('transfer_to')}
            />
          </>
        )}
      </FormModal>
    </>
  )
}

/** Leads to the delegations to the account. */
function delegationFacts({ id }: ServiceAccount): [string, ReactNode][] {
  if (!hasFeature('delegations')) return []
  const search = { tab: 'delegations', agent: id }
  return [
    [
      'Delegations',
      <Link key="delegations" to="." search={search} className="link">
        For whom it acts
      </Link>,
    ],
  ]
}
