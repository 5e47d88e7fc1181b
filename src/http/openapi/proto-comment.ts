import type {
  DescField,
  DescFile,
  DescMessage,
  DescMethod,
  DescService,
  FileRegistry,
} from '@bufbuild/protobuf'
import { readDocumentedRegistry } from '../../rpc/descriptors.ts'

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

let registry: FileRegistry | undefined

function paragraphsOf(element: Documented): string[] {
  registry ??= readDocumentedRegistry()
  const documented = findElement(registry, element)
  if (!documented) return []
  const file = 'file' in documented ? documented.file : documented.parent.file
  return (commentsOf(file).get(sourcePath(documented).join()) ?? '')
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replaceAll(/\s*\n\s*/g, ' '))
    .filter((paragraph) => paragraph !== '')
}

/** Returns the same element of another registry. */
function findElement(registry: FileRegistry, element: Documented): Documented | undefined {
  switch (element.kind) {
    case 'service':
      return registry.getService(element.typeName)
    case 'rpc':
      return registry.getService(element.parent.typeName)?.method[element.localName]
    case 'field':
      return registry.getMessage(element.parent.typeName)?.field[element.localName]
    case 'message':
      return registry.getMessage(element.typeName)
  }
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
