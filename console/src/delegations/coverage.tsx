import { Fragment } from 'react'
import { joinTexts } from './join-texts.ts'
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

/** Describes what a delegation covers. Names at most `limit` resources, and counts the others. */
export function CoverageText({ coverage, limit }: { coverage: Coverage; limit: number }) {
  const { service_name, actions, resource_types: types, resources } = coverage
  if (resources?.length === 0)
    return <>It may do nothing, because what it was limited to no longer exists.</>
  const verb = actions ? joinTexts(actions) : 'do everything but manage'
  const preposition = actions ? '' : 'with '
  const kinds = types
    ? `resources of the ${types.length === 1 ? 'type' : 'types'} ${joinTexts(types)}`
    : 'resources'
  if (!resources)
    return (
      <>
        It may <b>{verb}</b> {preposition}all {kinds} in {service_name}.
      </>
    )
  const named = resources.length > limit ? resources.slice(0, limit) : resources
  const others = resources.length - named.length
  return (
    <>
      It may <b>{verb}</b> {preposition}
      {kinds} in {service_name}:{' '}
      {named.map((resource, index) => (
        <Fragment key={resource.resource_id}>
          {index > 0 && (index === resources.length - 1 ? ' and ' : ', ')}
          <ResourceName resource={resource} />
        </Fragment>
      ))}
      {others > 0 && ` and ${others} more`}
      {resources.length > 1 ? ', with everything below them.' : ' and everything below it.'}
    </>
  )
}

/** Names a resource: how its service calls it, else its ID. */
export function ResourceName({ resource }: { resource: CoveredResource }) {
  const { resource_type, resource_id, external_id, display_name } = resource
  const name = shownText(display_name ?? '') || shownText(external_id ?? '')
  return (
    <>
      {resource_type} {name ? <bdi>{name}</bdi> : <span className="mono">{resource_id}</span>}
    </>
  )
}
