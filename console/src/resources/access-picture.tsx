import { Button } from '@mantine/core'
import { useId, useRef } from 'react'
import { useName } from '../api/names.ts'
import { downloadText } from '../ui/download.ts'
import { shortenId } from '../ui/name.tsx'
import { findPath, maxPaths, type Step } from './access-paths.ts'
import classes from './access-picture.module.css'
import { type AccessReason, nameResource, type Resource } from './resource-queries.ts'
import { toSvgFile } from './svg-file.ts'

const box = { width: 208, height: 36 }
const gap = { x: 24, y: 28 }
const margin = 12
/** The width of a box in characters. Characters of East Asian scripts and emoji count twice. */
const maxLength = 24

type Props = { resource: Resource; userId: string; reasons: AccessReason[] }
type Place = { x: number; y: number }

/**
 * Draws how access comes from the person through groups, grants and folders to the resource: a
 * column for each reason. The list of reasons has the same content as text.
 */
export function AccessPicture({ resource, userId, reasons }: Props) {
  const picture = useRef<SVGSVGElement>(null)
  const marker = useId()
  const person = useName(userId).data?.name ?? shortenId(userId)
  const target = nameResource(resource)
  const paths = reasons.slice(0, maxPaths).map((reason) => findPath(reason, resource.workspace_id))
  const omitted = reasons.length - paths.length
  const rows = Math.max(...paths.map((path) => path.length)) + 2
  const width = 2 * margin + paths.length * (box.width + gap.x) - gap.x
  const height = 2 * margin + rows * (box.height + gap.y) - gap.y
  const placeOf = (column: number, row: number): Place => ({
    x: margin + column * (box.width + gap.x) + box.width / 2,
    y: margin + row * (box.height + gap.y),
  })
  const first = placeOf((paths.length - 1) / 2, 0)
  const last = placeOf((paths.length - 1) / 2, rows - 1)
  const label = `How ${person} gets access to ${target}`

  function exportPicture() {
    if (picture.current) downloadText('access.svg', 'image/svg+xml', toSvgFile(picture.current))
  }

  return (
    <figure className={classes.figure}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a wide picture */}
      <section className={classes.scroll} tabIndex={0} aria-label="Picture of the reasons">
        <svg
          ref={picture}
          xmlns="http://www.w3.org/2000/svg"
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={`${label}: the reasons above`}
          className={classes.picture}
        >
          <title>{label}</title>
          <defs>
            <marker id={marker} refX={6} refY={4} markerWidth={8} markerHeight={8} orient="auto">
              <path d="M0 0 8 4 0 8z" className={classes.head} />
            </marker>
          </defs>
          <rect width={width} height={height} className={classes.background} />
          {paths.map((path, column) => {
            const places = [first, ...path.map((_, row) => placeOf(column, row + 1)), last]
            return (
              <g key={column}>
                {places.slice(1).map((to, index) => (
                  <path
                    key={index}
                    d={edge(places[index] as Place, to)}
                    className={classes.edge}
                    markerEnd={`url(#${marker})`}
                  />
                ))}
                {path.map((step, row) => (
                  <StepBox key={row} step={step} place={placeOf(column, row + 1)} />
                ))}
              </g>
            )
          })}
          <Box place={first} text={person} className={classes.end} />
          <Box place={last} text={target} className={classes.end} />
        </svg>
      </section>
      <figcaption>
        {omitted > 0 && <span>{omitted} more in the list above. </span>}
        <Button size="compact-xs" variant="default" onClick={exportPicture}>
          Export as SVG
        </Button>
      </figcaption>
    </figure>
  )
}

/** A line from the lower edge of a box, down its column and then across, to a lower box. */
function edge(from: Place, to: Place): string {
  return `M${from.x} ${from.y + box.height}V${to.y - gap.y / 2}H${to.x}V${to.y}`
}

function StepBox({ step, place }: { step: Step; place: Place }) {
  if ('id' in step) return <NamedBox id={step.id} place={place} className={classes[step.kind]} />
  return <Box place={place} text={step.text} className={classes[step.kind]} />
}

function NamedBox({ id, ...rest }: { id: string; place: Place; className: string | undefined }) {
  const { data } = useName(id)
  return <Box text={data?.name ?? shortenId(id)} {...rest} />
}

function Box({
  place,
  text,
  className,
}: {
  place: Place
  text: string
  className: string | undefined
}) {
  return (
    <g className={className}>
      <title>{text}</title>
      <rect
        x={place.x - box.width / 2}
        y={place.y}
        width={box.width}
        height={box.height}
        rx={8}
        className={classes.box}
      />
      <text
        x={place.x}
        y={place.y + box.height / 2}
        textAnchor="middle"
        dominantBaseline="central"
        className={classes.text}
      >
        {truncate(text)}
      </text>
    </g>
  )
}

/** Shortens a text to the width of a box without splitting a character. */
function truncate(text: string): string {
  let shown = ''
  let length = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    length += (segment.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2
    if (length > maxLength) return `${shown}…`
    shown += segment
  }
  return text
}
