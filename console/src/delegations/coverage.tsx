import { Fragment, type ReactNode } from 'react'
import { shownText } from './shown-text.ts'

/** What a delegation covers. Null means all. */
export type Coverage = {
  service_name: string
  actions: string[] | null
  resource_types: string[] | null
  resources: CoveredResource[] | null
}

export type CoveredResource = {
  resource_type: string
  resource_id: string
  external_id?: string | null
  display_name?: string | null
}

/**
 * Describes what a delegation covers. Names at most `limit` resources, and counts the others. All names can be
 * chosen by the agent, so they are marked as such.
 */
export function CoverageText({ coverage, limit }: { coverage: Coverage; limit: number }) {
  const { service_name, actions, resource_types: types, resources } = coverage
  if (resources?.length === 0)
    return <>It may do nothing, because what it was limited to no longer exists.</>
  const verb = actions ? <Names names={actions} /> : <>do everything but manage, with</>
  const kinds = types ? (
    <>
      resources of the {types.length === 1 ? 'type' : 'types'} <Names names={types} />
    </>
  ) : (
    'resources'
  )
  const service = <Names names={[service_name]} />
  if (!resources)
    return (
      <>
        It may {verb} all {kinds} in the service {service}.
      </>
    )
  const named = resources.slice(0, limit)
  const others = resources.length - named.length
  return (
    <>
      It may {verb} {kinds} in the service {service}:{' '}
      <Joined
        items={[
          ...named.map((resource) => (
            <ResourceName key={resource.resource_id} resource={resource} />
          )),
          ...(others > 0 ? [`${others} more`] : []),
        ]}
      />
      {resources.length > 1 ? ', with everything below them.' : ' and everything below it.'}
    </>
  )
}

/** Names a resource: by its name for people, else as its service does. */
export function ResourceName({ resource }: { resource: CoveredResource }) {
  const { resource_type, resource_id, external_id, display_name } = resource
  const name = shownText(display_name ?? '') || shownText(external_id ?? '') || resource_id
  return (
    <>
      <bdi>{shownText(resource_type)}</bdi>{' '}
      <b>
        <bdi>{name}</bdi>
      </b>
    </>
  )
}

function Names({ names }: { names: string[] }) {
  const items = names.map((name) => (
    <b key={name}>
      <bdi>{shownText(name)}</bdi>
    </b>
  ))
  return <Joined items={items} />
}

/** Joins items as in `view, edit and share`. */
function Joined({ items }: { items: ReactNode[] }) {
  return items.map((item, index) => (
    <Fragment key={index}>
      {index > 0 && (index === items.length - 1 ? ' and ' : ', ')}
      {item}
    </Fragment>
  ))
}
