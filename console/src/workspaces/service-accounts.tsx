import { Accordion, Button, Group as Row } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { ActiveBadge, RoleBadge } from '../ui/badges.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { ApiKeys } from './api-keys.tsx'
import { DeleteServiceAccount } from './delete-service-account.tsx'
import classes from './member-list.module.css'
import { ServiceAccountForm } from './service-account-form.tsx'
import {
  refreshServiceAccounts,
  type ServiceAccount,
  serviceAccountsQuery,
} from './service-account-queries.ts'

/** Shows the service accounts of a workspace with their API keys. */
export function ServiceAccounts({ workspaceId }: { workspaceId: string }) {
  const accounts = useQuery(serviceAccountsQuery(workspaceId))
  const [openId, setOpenId] = useState<string | null>(null)
  const [edited, setEdited] = useState<ServiceAccount | 'new'>()
  const createButton = (
    <Button size="xs" onClick={() => setEdited('new')}>
      New service account
    </Button>
  )
  return (
    <Section
      title="Service accounts"
      count={accounts.data?.length}
      description="Members that are programs, such as a nightly export. They act with API keys."
      actions={createButton}
    >
      <QueryState query={accounts}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="terminal" title="No service accounts yet" action={createButton} />
          ) : (
            <Accordion
              variant="contained"
              chevronPosition="left"
              mt="md"
              value={openId}
              onChange={setOpenId}
            >
              {list.map((account) => (
                <AccountItem
                  key={account.id}
                  account={account}
                  isOpen={account.id === openId}
                  onEdit={() => setEdited(account)}
                />
              ))}
            </Accordion>
          )
        }
      </QueryState>
      <ServiceAccountForm
        workspaceId={workspaceId}
        edited={edited}
        onClose={() => setEdited(undefined)}
        onCreated={setOpenId}
      />
    </Section>
  )
}

type ItemProps = { account: ServiceAccount; isOpen: boolean; onEdit: () => void }

function AccountItem({ account, isOpen, onEdit }: ItemProps) {
  const [isDeleting, setDeleting] = useState(false)
  const { id, name, role, is_active, expires_at } = account
  return (
    <Accordion.Item value={id}>
      <Accordion.Control>
        <span className={classes.account}>
          <b>
            <bdi>{name}</bdi>
          </b>
          <RoleBadge role={role} />
          {!is_active && <ActiveBadge isActive={false} />}
          {expires_at && (
            <span className="dimmed">
              ends <Time value={expires_at} />
            </span>
          )}
        </span>
      </Accordion.Control>
      <Accordion.Panel>
        <Row gap="xs" mb="md">
          <Button size="xs" variant="default" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <StatusButton account={account} />
          <Button
            size="xs"
            variant="subtle"
            color="red"
            aria-label={`Delete ${name}`}
            onClick={() => setDeleting(true)}
          >
            Delete
          </Button>
        </Row>
        {isOpen && <ApiKeys account={account} />}
      </Accordion.Panel>
      <DeleteServiceAccount
        account={account}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
      />
    </Accordion.Item>
  )
}

function StatusButton({ account }: { account: ServiceAccount }) {
  const confirm = useConfirm()
  const { workspace_id, id, name, is_active } = account
  async function setActive(isActive: boolean) {
    const params = { path: { workspace_id, service_account_id: id } }
    const path = '/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}'
    await unwrap(api.PATCH(path, { params, body: { is_active: isActive } }))
    await refreshServiceAccounts()
    notifyDone(`${name} was ${isActive ? 'activated' : 'deactivated'}.`)
  }
  return is_active ? (
    <Button
      size="xs"
      variant="default"
      aria-label={`Deactivate ${name}`}
      onClick={() =>
        confirm({
          title: `Deactivate ${name}?`,
          children: 'Its API keys and tokens end immediately, and remain ended.',
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
  )
}
