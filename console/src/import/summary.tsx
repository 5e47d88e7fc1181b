import type { ImportReport } from './import-requests.ts'
import classes from './summary.module.css'

/** Shows the number of rows by action. */
export function Summary({ summary }: { summary: ImportReport['summary'] }) {
  const figures: [string, number][] = [
    ['New', summary.create],
    ['Changed', summary.update],
    ['Unchanged', summary.unchanged],
    ['Errors', summary.errors],
  ]
  return (
    <dl className={classes.summary}>
      {figures.map(([name, value]) => (
        <div key={name} data-error={(name === 'Errors' && value > 0) || undefined}>
          <dt>{name}</dt>
          <dd>{value.toLocaleString()}</dd>
        </div>
      ))}
    </dl>
  )
}
