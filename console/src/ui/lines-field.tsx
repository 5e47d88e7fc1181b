import { Textarea, type TextareaProps } from '@mantine/core'

type Props = Pick<TextareaProps, 'label' | 'description' | 'placeholder' | 'minRows' | 'maxRows'>

/** A field for a list of texts, one per line. It grows with the list. */
export function LinesField(props: Props) {
  return <Textarea autosize mt="md" {...props} />
}
