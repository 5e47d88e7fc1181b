import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { ActivityLog } from '../activity/activity-log.tsx'
import { api, unwrap } from '../api/client.ts'
import { resourceTypesQuery } from '../resource-types/resource-type-queries.ts'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { Name } from '../ui/name.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Facts, Page, Section } from '../ui/page.tsx'
import { PageTabs } from '../ui/page-tabs.tsx'
import { QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { ChangeOwner } from './change-owner.tsx'
import { EffectiveVisibility } from './effective-visibility.tsx'
import { type Resource, refreshResources, resourceQuery, titleOf } from './resource-queries.ts'
import { Shares } from './shares.tsx'
import { WhoHasAccess } from './who-has-access.tsx'
import { Why } from './why.tsx'

export function ResourcePage() {
  const { permissionId } = useParams({ from: '/shell/resources/$permissionId' })
  const resource = useQuery(resourceQuery(permissionId))
  return (
    <QueryState query={resource} notFound={<NotFoundPage title="This resource does not exist" />}>
      {(data) => <ResourceDetail resource={data} />}
    </QueryState>
  )
}

function ResourceDetail({ resource }: { resource: Resource }) {
  const { tab } = useSearch({ from: '/shell/resources/$permissionId' })
  return (
    <Page
      title={titleOf(resource)}
      description={`${resource.resource_type} of the service ${resource.service_name}`}
      breadcrumbs={
        <Link to="/resources" className="link">
          Resources
        </Link>
      }
      badges={<EffectiveVisibility resource={resource} />}
      actions={
        <>
          <ChangeOwner resource={resource} />
          <VisibilityButtons resource={resource} />
        </>
      }
    >
      <PageTabs
        value={tab}
        tabs={[
          { value: 'access', label: 'Access', content: <Access resource={resource} /> },
          { value: 'details', label: 'Details', content: <Details resource={resource} /> },
          {
            value: 'activity',
            label: 'Activity',
            content: (
              <Section title="Activity">
                <ActivityLog filter={{ target_id: resource.id }} />
              </Section>
            ),
          },
        ]}
      />
    </Page>
  )
}

/** Explains access on one page: why a person has it, who else has it, and through which shares. */
function Access({ resource }: { resource: Resource }) {
  const { context } = useSearch({ from: '/shell/resources/$permissionId' })
  return (
    <>
      <Why resource={resource} />
      <WhoHasAccess resource={resource} context={context} />
      <Shares resource={resource} />
    </>
  )
}

function Details({ resource }: { resource: Resource }) {
  const { parent } = resource
  return (
    <Section title="Details">
      <Facts
        items={[
          ['Owner', <Name key="owner" id={resource.owner_id} />],
          ['Workspace', <Name key="workspace" id={resource.workspace_id} />],
          ['Service', resource.service_name],
          ['Type', resource.resource_type],
          [
            'Parent',
            parent ? (
              `${parent.resource_type} ${parent.external_id ?? parent.resource_id}`
            ) : (
              <span className="dimmed">None</span>
            ),
          ],
          ['Inherits from its parent', parent ? (resource.inherits ? 'Yes' : 'No') : '—'],
          ['Registered', <Time key="registered" value={resource.created_at} />],
          ['Resource ID', <CopyableId key="resource-id" id={resource.resource_id} />],
          ['Permission ID', <CopyableId key="id" id={resource.id} />],
        ]}
      />
    </Section>
  )
}

const visibilities = {
  private: {
    button: 'Make private',
    title: 'Make private?',
    text: 'People who have no other grant lose access immediately.',
    done: 'The resource is now private.',
  },
  workspace: {
    button: 'Make visible to workspace',
    title: 'Make visible to the workspace?',
    text: 'Every member of the workspace except guests may view it, and editors may edit it.',
    done: 'The resource is now visible to its workspace.',
  },
  public: {
    button: 'Make public',
    title: 'Make public?',
    text: 'Everybody may view it, signed in or not. Editors of the workspace may edit it.',
    done: 'The resource is now public.',
  },
}

/** Buttons for the visibilities that make sense next, `public` only if the type allows it. */
function VisibilityButtons({ resource }: { resource: Resource }) {
  const types = useQuery(resourceTypesQuery)
  const declared = types.data?.find(
    (type) =>
      type.service_name === resource.service_name && type.resource_type === resource.resource_type,
  )
  const isPrivate = resource.visibility === 'private'
  const canOpen = resource.visibility !== 'public' && declared?.allow_public
  return (
    <>
      <VisibilityButton resource={resource} visibility={isPrivate ? 'workspace' : 'private'} />
      {canOpen && <VisibilityButton resource={resource} visibility="public" />}
    </>
  )
}

function VisibilityButton({
  resource,
  visibility,
}: {
  resource: Resource
  visibility: keyof typeof visibilities
}) {
  const confirm = useConfirm()
  const { button, title, text, done } = visibilities[visibility]
  async function change() {
    const params = { path: { permission_id: resource.id } }
    await unwrap(
      api.PATCH('/admin/permissions/{permission_id}/visibility', { params, body: { visibility } }),
    )
    await refreshResources()
    notifyDone(done)
  }
  return (
    <Button
      variant="default"
      onClick={() =>
        confirm({
          title,
          children: text,
          action: visibility === 'workspace' ? 'Make visible' : button,
          run: change,
        })
      }
    >
      {button}
    </Button>
  )
}
