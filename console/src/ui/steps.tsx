import classes from './steps.module.css'

/** The numbered steps of a task, with the current one marked. */
export function Steps({ labels, current }: { labels: readonly string[]; current: number }) {
  return (
    <ol className={classes.steps}>
      {labels.map((label, index) => (
        <li key={label} aria-current={index === current ? 'step' : undefined}>
          {label}
        </li>
      ))}
    </ol>
  )
}
