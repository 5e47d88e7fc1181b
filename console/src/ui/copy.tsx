import { ActionIcon, Button, type ButtonProps, CopyButton, Tooltip } from '@mantine/core'
import classes from './copy.module.css'
import { Icon } from './icon.tsx'

/** A small button that copies a value. */
export function CopyIcon({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label} withArrow>
          <ActionIcon
            variant="subtle"
            color={copied ? 'leaf' : 'gray'}
            size="sm"
            aria-label={copied ? 'Copied' : label}
            onClick={copy}
          >
            <Icon name={copied ? 'check' : 'copy'} size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

/** Shows an identifier in full, with a button that copies it. */
export function CopyableId({ id, label = 'Copy ID' }: { id: string; label?: string }) {
  return (
    <span className={classes.id}>
      <code>{id}</code>
      <CopyIcon value={id} label={label} />
    </span>
  )
}

/** Shows code to paste, with a button that copies it. */
export function CopyableCode({ code, label }: { code: string; label: string }) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{code}</pre>
      </section>
      <CopyTextButton value={code} label="Copy" size="compact-xs" className={classes.blockCopy} />
    </div>
  )
}

type CopyTextButtonProps = Pick<ButtonProps, 'size' | 'className'> & {
  value: string
  label: string
}

/** A button with a label that copies a value. */
export function CopyTextButton({ value, label, ...props }: CopyTextButtonProps) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Button
          {...props}
          variant="default"
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={13} />}
          onClick={copy}
        >
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  )
}
