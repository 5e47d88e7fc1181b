import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf'

/** The proto's comment before a message, field or method, on one line; empty where there is none. */
export function protoComment(described: DescField | DescMessage | DescMethod): string {
  const file = described.kind === 'message' ? described.file : described.parent.file
  const path = pathOf(described).join()
  const locations = file.proto.sourceCodeInfo?.location ?? []
  const found = locations.find((location) => location.path.join() === path)
  return (found?.leadingComments ?? '').trim().replaceAll(/\s*\n\s*/g, ' ')
}

/** Where it stands in its file: numbers of descriptor.proto's fields and places in their lists. */
function pathOf(described: DescField | DescMessage | DescMethod): number[] {
  if (described.kind === 'rpc') {
    const { parent } = described
    return [6, parent.file.services.indexOf(parent), 2, parent.methods.indexOf(described)]
  }
  if (described.kind === 'field')
    return [...pathOf(described.parent), 2, described.parent.fields.indexOf(described)]
  const { parent, file } = described
  if (parent) return [...pathOf(parent), 3, parent.nestedMessages.indexOf(described)]
  return [4, file.messages.indexOf(described)]
}
