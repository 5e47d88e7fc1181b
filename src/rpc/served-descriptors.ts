import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt'

/** Whether a method is served, by its service and its key, such as `AuthService` and `getMe`. */
export type IsServed = (service: string, key: string) => boolean

/** The numbers of `FileDescriptorProto.service` and `ServiceDescriptorProto.method`, as in paths. */
const serviceNumber = 6
const methodNumber = 2

/**
 * Removes the methods that are not served from a file, the services that have none left, and their
 * comments. Paths of comments contain indexes, which change.
 */
export function removeUnserved(file: FileDescriptorProto, isServed: IsServed): void {
  const kept = file.service.map((service) =>
    service.method.map(({ name }) =>
      isServed(service.name, `${name.charAt(0).toLowerCase()}${name.slice(1)}`),
    ),
  )
  if (kept.flat().every((isKept) => isKept)) return
  const services = indexKept(kept.map((methods) => methods.includes(true)))
  const methods = kept.map(indexKept)
  const { location = [] } = file.sourceCodeInfo ?? {}
  for (const found of location) {
    const [field, service = 0, member, method] = found.path
    if (field !== serviceNumber || found.path.length < 2) continue
    found.path[1] = services[service] ?? removed
    if (member === methodNumber && method !== undefined)
      found.path[3] = methods[service]?.[method] ?? removed
  }
  if (file.sourceCodeInfo)
    file.sourceCodeInfo.location = location.filter(({ path }) => !path.includes(removed))
  for (const [index, service] of file.service.entries())
    service.method = service.method.filter((_, method) => kept[index]?.[method])
  file.service = file.service.filter(({ method }) => method.length > 0)
}

const removed = -1

/** Returns the new index of each item that is kept. */
function indexKept(kept: boolean[]): (number | undefined)[] {
  let next = 0
  return kept.map((isKept) => (isKept ? next++ : undefined))
}
