import { VisuallyHidden } from '@mantine/core'
import { Fragment } from 'react'
import { Name } from '../ui/name.tsx'
import { Time } from '../ui/time.tsx'
import type { ActivityEntry } from './activity-queries.ts'
import { type DetailChange, type DetailField, type DetailValue, readDetail } from './detail.ts'
import classes from './entry-detail.module.css'

/** The maximum number of objects that a row names. */
const maxValues = 3

/** Shows the detail of an entry in a row: at most two lines, without what the target already shows. */
export function EntryDetail({ entry }: { entry: ActivityEntry }) {
  const { change, fields } = readDetail(entry)
  const main = fields.filter(({ isMain }) => isMain)
  if (!change && main.length === 0) return null
  return (
    <span className={classes.detail}>
      {change && (
        <>
          {change.label}: <Change change={change} />
        </>
      )}
      {main.map((field, index) => (
        <Fragment key={field.name}>
          {(change || index > 0) && ' · '}
          {field.label}: <Values field={field} limit={maxValues} />
        </Fragment>
      ))}
    </span>
  )
}

/** Shows a value before and after an event. */
export function Change({ change: { from, to } }: { change: DetailChange }) {
  return (
    <span className={classes.change}>
      <Value value={from} /> <span aria-hidden="true">→</span> <VisuallyHidden>to</VisuallyHidden>{' '}
      <Value value={to} />
    </span>
  )
}

/** Shows the values of a field, with links to the objects that they identify. */
export function Values({ field: { values }, limit }: { field: DetailField; limit?: number }) {
  const shown = values.slice(0, limit)
  const omitted = values.length - shown.length
  return (
    <>
      {shown.map((value, index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          <Value value={value} />
        </Fragment>
      ))}
      {omitted > 0 && ` and ${omitted} more`}
    </>
  )
}

function Value({ value }: { value: DetailValue }) {
  if (value.kind === 'object') return <Name id={value.id} />
  if (value.kind === 'time') return <Time value={value.time} />
  return <bdi className={classes.text}>{value.text}</bdi>
}
