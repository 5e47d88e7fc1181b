import { Accordion, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { ActiveBadge, RoleBadge } from '../ui/badges.tsx'
import { FormModal } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import { useWorkspaceSearch } from '../workspaces/workspace-search.ts'
import { AccountPanel } from './account-panel.tsx'
import { emptyAccount, ServiceAccountForm, toAccountBody } from './service-account-form.tsx'
import { refreshServiceAccounts, serviceAccountsQuery } from './service-account-queries.ts'
import classes from './service-accounts.module.css'

/**
 * Shows the service accounts of a workspace. The address contains the account that is open, with its
 * API keys.
 */
export function ServiceAccounts({ workspaceId }: { workspaceId: string }) {
  const {
    search: { tab, account: openId },
    navigate,
  } = useWorkspaceSearch()
  const open = (account: string | undefined) =>
    navigate({ search: { tab, account }, replace: true })
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
              onChange={(id) => open(id ?? undefined)}
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
          open(id)
        }}
      >
        {(form) => <ServiceAccountForm form={form} />}
      </FormModal>
    </Section>
  )
}
