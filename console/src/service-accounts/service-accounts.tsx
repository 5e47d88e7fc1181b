import { Accordion, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { ActiveBadge, RoleBadge } from '../ui/badges.tsx'
import { FormModal } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import { AccountPanel } from './account-panel.tsx'
import { emptyAccount, ServiceAccountForm, toAccountBody } from './service-account-form.tsx'
import { refreshServiceAccounts, serviceAccountsQuery } from './service-account-queries.ts'
import classes from './service-accounts.module.css'

type Props = {
  workspaceId: string
  /** The ID of the account that is shown with its keys. */
  openId: string | undefined
  onOpen: (id: string | undefined) => void
}

/** Shows the service accounts of a workspace with their API keys. */
export function ServiceAccounts({ workspaceId, openId, onOpen }: Props) {
  const accounts = useQuery(serviceAccountsQuery(workspaceId))
  const [isCreating, setCreating] = useState(false)
  const createButton = (
    <Button size="xs" onClick={() => setCreating(true)}>
      New service account
    </Button>
  )
  return (
    <Section
      title="Service accounts"
      count={accounts.data?.length}
      description="Members that are programs. They act with API keys, or with the tokens of a client app."
      actions={createButton}
    >
      <QueryState query={accounts}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="terminal" title="No service accounts yet">
              A deployment or an integration gets its own account, role and keys.
            </EmptyState>
          ) : (
            <Accordion
              variant="contained"
              chevronPosition="left"
              value={openId ?? null}
              onChange={(id) => onOpen(id ?? undefined)}
            >
              {list.map((account) => (
                <Accordion.Item key={account.id} value={account.id}>
                  <Accordion.Control>
                    <span className={classes.heading}>
                      <b>
                        <bdi>{account.name}</bdi>
                      </b>
                      <RoleBadge role={account.role} />
                      {!account.is_active && <ActiveBadge isActive={false} />}
                    </span>
                  </Accordion.Control>
                  <Accordion.Panel>
                    {account.id === openId && <AccountPanel account={account} />}
                  </Accordion.Panel>
                </Accordion.Item>
              ))}
            </Accordion>
          )
        }
      </QueryState>
      <FormModal
        title="New service account"
        action="Create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        initialValues={emptyAccount}
        send={async (values) => {
          const params = { path: { workspace_id: workspaceId } }
          const { id } = await unwrap(
            api.POST('/admin/workspaces/{workspace_id}/service-accounts', {
              params,
              body: toAccountBody(values),
            }),
          )
          await refreshServiceAccounts()
          onOpen(id)
        }}
      >
        {(form) => <ServiceAccountForm form={form} />}
      </FormModal>
    </Section>
  )
}
