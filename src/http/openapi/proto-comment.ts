import type { DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf'

type Documented = DescField | DescMessage | DescMethod | DescService

/** Returns the leading comment of a proto element, one line per paragraph, or an empty string. */
export function protoComment(element: Documented): string {
  return paragraphsOf(element).join('\n\n')
}

/** Returns the comment of a method. The first paragraph is its title in the sidebar of the docs. */
export function methodComment(method: DescMethod): { summary: string; description: string } {
  const [summary = '', ...description] = paragraphsOf(method)
  return { summary, description: description.join('\n\n') }
}

function paragraphsOf(element: Documented): string[] {
  const file = 'file' in element ? element.file : element.parent.file
  const path = sourcePath(element).join()
  const locations = file.proto.sourceCodeInfo?.location ?? []
  const comment = locations.find((location) => location.path.join() === path)?.leadingComments
  return (comment ?? '')
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replaceAll(/\s*\n\s*/g, ' '))
    .filter((paragraph) => paragraph !== '')
}

/** Returns the path of an element in SourceCodeInfo: descriptor.proto field numbers and indexes. */
function sourcePath(element: Documented): number[] {
  switch (element.kind) {
    case 'service':
      return [6, element.file.services.indexOf(element)]
    case 'rpc':
      return [...sourcePath(element.parent), 2, element.parent.methods.indexOf(element)]
    case 'field':
      return [...sourcePath(element.parent), 2, element.parent.fields.indexOf(element)]
    case 'message': {
      const { parent, file } = element
      if (parent) return [...sourcePath(parent), 3, parent.nestedMessages.indexOf(element)]
      return [4, file.messages.indexOf(element)]
    }
  }
}
