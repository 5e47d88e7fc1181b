import type { DescField, DescFile, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf'

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
  return (commentsOf(file).get(sourcePath(element).join()) ?? '')
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replaceAll(/\s*\n\s*/g, ' '))
    .filter((paragraph) => paragraph !== '')
}

const comments = new WeakMap<DescFile, Map<string, string>>()

/** Returns the leading comments of a file by the paths of their elements. */
function commentsOf(file: DescFile): Map<string, string> {
  const found = comments.get(file)
  if (found) return found
  const locations = file.proto.sourceCodeInfo?.location ?? []
  const created = new Map(
    locations.map(({ path, leadingComments }) => [path.join(), leadingComments]),
  )
  comments.set(file, created)
  return created
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
