import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { CodeInput } from '../ui/code-input.tsx'
import { type Mistake, mistakeQuery } from './condition-queries.ts'
import classes from './conditions.module.css'

type Props = Omit<ComponentProps<typeof CodeInput>, 'value'> & {
  value?: string
  parameters: Record<string, string>
}

/** Milliseconds without a keystroke after which an expression is compiled. */
const pause = 400

/** The number of characters shown before and after the place of a mistake. */
const excerpt = { before: 20, after: 12 }

/** A field for an expression that compiles as you type. */
export function ExpressionInput({ value = '', parameters, error, ...props }: Props) {
  const [[expression, types]] = useDebouncedValue([value, parameters] as const, pause)
  const { data: mistake } = useQuery(mistakeQuery({ expression, parameters: types }))
  const isCurrent = expression === value && mistake
  return (
    <CodeInput
      {...props}
      value={value}
      error={isCurrent ? <MistakeText expression={expression} mistake={mistake} /> : error}
    />
  )
}

/** Shows what is wrong with an expression, with a caret below the place. */
function MistakeText({ expression, mistake }: { expression: string; mistake: Mistake }) {
  const { line, column, message } = mistake
  const text = expression.split('\n')[line - 1] ?? ''
  const start = Math.max(0, column - 1 - excerpt.before)
  return (
    <>
      <span className={classes.excerpt} aria-hidden="true">
        {text.slice(start, column - 1 + excerpt.after)}
        {'\n'}
        {' '.repeat(column - 1 - start)}^
      </span>
      Line {line}, column {column}: {message}
    </>
  )
}
