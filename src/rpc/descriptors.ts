import { readFileSync } from 'node:fs'
import {
  createFileRegistry,
  type DescExtension,
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

const descriptorSet = new URL('../../gen/daikon.binpb', import.meta.url)

/**
 * Reads the generated descriptors, of the methods that are served. Sets JSON names to proto names, so
 * that grpcurl shows the same field names as REST.
 */
export function readRegistry(isServed: IsServed = () => true): FileRegistry {
  const descriptors = fromBinary(FileDescriptorSetSchema, readFileSync(descriptorSet))
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

/** Returns an option of a field as JSON with proto names, or undefined if it is not set. */
export function fieldOption(registry: FileRegistry, field: DescField, name: string): unknown {
  const extension = requireExtension(registry, name)
  return hasOption(field, extension) ? optionJson(registry, extension, field) : undefined
}

/** Returns an option of a message as JSON with proto names, or undefined if it is not set. */
export function messageOption(registry: FileRegistry, message: DescMessage, name: string): unknown {
  const extension = requireExtension(registry, name)
  return hasOption(message, extension) ? optionJson(registry, extension, message) : undefined
}

/** Returns an option of a method as JSON with proto names, or undefined if it is not set. */
export function methodOption(registry: FileRegistry, method: DescMethod, name: string): unknown {
  const extension = requireExtension(registry, name)
  return hasOption(method, extension) ? optionJson(registry, extension, method) : undefined
}

function requireExtension(registry: FileRegistry, name: string): DescExtension {
  const extension = registry.getExtension(name)
  if (!extension) throw new Error(`Extension ${name} is missing from the descriptors`)
  return extension
}

function optionJson(
  registry: FileRegistry,
  extension: DescExtension,
  element: DescMethod | DescMessage | DescField,
): unknown {
  if (!extension.message) throw new Error(`Extension ${extension.typeName} must be a message`)
  // biome-ignore lint/suspicious/noExplicitAny: the kind of element is known only at run time
  const value = getOption(element as any, extension) as Message
  return toJson(extension.message, value, { useProtoFieldName: true, registry })
}
