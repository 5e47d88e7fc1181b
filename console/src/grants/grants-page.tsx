import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CommittedInput } from '../ui/committed-input.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Card, Page } from '../ui/page.tsx'
import { PersonPicker } from '../ui/pickers.tsx'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import { endGrants, type GrantFilters, type GrantTarget } from './grant-queries.ts'
import { GrantTable } from './grant-table.tsx'

/** The apps that people have agreed to, in all workspaces. */
export function GrantsPage() {
  const { page = 1, ...filters } = useSearch({ from: '/shell/connected-apps' })
  const navigate = useNavigate({ from: '/connected-apps' })
  const isFiltered = Object.values(filters).some(Boolean)
  const target = readTarget(filters)

  /** Changes a filter and returns to the first page. */
  function change(next: GrantFilters) {
    void navigate({
      search: (previous) => ({ ...previous, page: undefined, ...next }),
      replace: true,
    })
  }

  return (
    <Page
      title="Connected apps"
      description="Apps that people have given access. To end all access of an app, filter by its host or client ID alone."
      actions={target && <EndAll target={target} />}
    >
      <Card label="All connected apps">
        <GrantTable
          filters={filters}
          hasLinks
          page={page}
          onPage={(page) =>
            navigate({ search: { ...filters, page: page === 1 ? undefined : page } })
          }
          onClear={isFiltered ? () => navigate({ search: {} }) : undefined}
          tools={
            <SavedFilters
              list="connected-apps"
              filters={filters}
              onApply={(filters) => navigate({ search: filters })}
            />
          }
          toolbar={
            <>
              <CommittedInput
                label="Host"
                value={filters.host}
                onCommit={(host) => change({ host })}
              />
              <CommittedInput
                label="Client ID"
                value={filters.client_id}
                onCommit={(client_id) => change({ client_id })}
              />
              <CommittedInput
                label="API"
                value={filters.resource}
                onCommit={(resource) => change({ resource })}
              />
              <PersonPicker
                label="Person"
                isFilter
                value={filters.user_id ?? null}
                onChange={(id) => change({ user_id: id ?? undefined })}
              />
              <WorkspacePicker
                label="Workspace"
                isFilter
                value={filters.workspace_id ?? null}
                onChange={(id) => change({ workspace_id: id ?? undefined })}
              />
            </>
          }
        />
      </Card>
    </Page>
  )
}

/** Returns the client or host that alone is the filter, so that all of its grants are in the list. */
function readTarget({ client_id, host, ...others }: GrantFilters): GrantTarget | undefined {
  if (Object.values(others).some(Boolean)) return undefined
  if (client_id && !host) return { client_id }
  return host && !client_id ? { host } : undefined
}

function EndAll({ target }: { target: GrantTarget }) {
  const confirm = useConfirm()
  const name = 'host' in target ? target.host : target.client_id
  return (
    <Button
      variant="default"
      onClick={() =>
        confirm({
          title: `End all access of ${name}?`,
          children:
            'The access to the data of all people in all workspaces ends at once. People may be asked for it again.',
          action: 'End all access',
          run: async () => {
            const ended = await endGrants(target)
            notifyDone(ended === 1 ? '1 grant has ended.' : `${ended} grants have ended.`)
          },
        })
      }
    >
      End all access
    </Button>
  )
}
