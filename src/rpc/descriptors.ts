import { readFileSync } from 'node:fs'
import {
  createFileRegistry,
  type DescField,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  getOption,
  hasOption,
  type Message,
  toJson,
} from '@bufbuild/protobuf'
import { type DescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { type IsServed, removeUnserved } from './served-descriptors.ts'

/**
 * Reads the generated descriptors, of the methods that are served. Sets JSON names to proto names, so
 * that grpcurl shows the same field names as REST.
 */
export function readRegistry(isServed: IsServed = () => true): FileRegistry {
  return readFile('daikon.binpb', isServed)
}

/** Reads them with the comments of the proto, too, which takes four times as long. */
export function readDocumentedRegistry(isServed: IsServed = () => true): FileRegistry {
  return readFile('documented.binpb', isServed)
}

function readFile(name: string, isServed: IsServed): FileRegistry {
  const path = new URL(`../../gen/${name}`, import.meta.url)
  const descriptors = fromBinary(FileDescriptorSetSchema, readFileSync(path))
  for (const file of descriptors.file) {
    removeUnserved(file, isServed)
    if (file.package === 'daikon.v1') useProtoNames(file.messageType)
  }
  return createFileRegistry(descriptors)
}

function useProtoNames(messages: DescriptorProto[]): void {
  for (const { field: fields, nestedType } of messages) {
    for (const field of fields) field.jsonName = field.name
    useProtoNames(nestedType)
  }
}

/** What nodes have read: they need the options of a field for each method whose message contains it. */
const knownOptions = new WeakMap<Element, Map<string, unknown>>()

type Element = DescMethod | DescMessage | DescField

/** Returns an option of an element as JSON with proto names, or undefined if it is not set. */
export function readOption(registry: FileRegistry, element: Element, name: string): unknown {
  const known = knownOptions.get(element) ?? new Map<string, unknown>()
  knownOptions.set(element, known)
  if (!known.has(name)) known.set(name, optionJson(registry, element, name))
  return known.get(name)
}

function optionJson(registry: FileRegistry, element: Element, name: string): unknown {
  const extension = registry.getExtension(name)
  if (!extension) throw new Error(`Extension ${name} is missing from the descriptors`)
  // biome-ignore lint/suspicious/noExplicitAny: the kind of element is known only at run time
  const described = element as any
  if (!hasOption(described, extension)) return undefined
  if (!extension.message) throw new Error(`Extension ${extension.typeName} must be a message`)
  const value = getOption(described, extension) as Message
  return toJson(extension.message, value, { useProtoFieldName: true, registry })
}
