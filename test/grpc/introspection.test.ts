import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  getOption,
  toBinary,
} from '@bufbuild/protobuf'
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'
import {
  type Client,
  credentials,
  makeClientConstructor,
  type ServiceDefinition,
} from '@grpc/grpc-js'
import { fromJSON } from '@grpc/proto-loader'
import test from 'ava'
import protobuf from 'protobufjs'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const nonDebugNode = await environment.addNode({ DEBUG: false })
test.after.always(() => environment.stop())

/**
 * The published interfaces, written out so that the test does not depend on the libraries under
 * test.
 */
const health = `syntax = "proto3"; package grpc.health.v1;
  message HealthCheckRequest { string service = 1; }
  message HealthCheckResponse {
    enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
    ServingStatus status = 1;
  }
  message HealthListRequest {}
  message HealthListResponse { map<string, HealthCheckResponse> statuses = 1; }
  service Health {
    rpc Check(HealthCheckRequest) returns (HealthCheckResponse);
    rpc List(HealthListRequest) returns (HealthListResponse);
    rpc Watch(HealthCheckRequest) returns (stream HealthCheckResponse);
  }`
const reflection = (version: string) => `syntax = "proto3"; package grpc.reflection.${version};
  message ServerReflectionRequest {
    string host = 1;
    oneof message_request {
      string file_by_filename = 3;
      string file_containing_symbol = 4;
      string list_services = 7;
    }
  }
  message ServerReflectionResponse {
    oneof message_response {
      FileDescriptorResponse file_descriptor_response = 4;
      ListServiceResponse list_services_response = 6;
      ErrorResponse error_response = 7;
    }
  }
  message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
  message ListServiceResponse { repeated ServiceResponse service = 1; }
  message ServiceResponse { string name = 1; }
  message ErrorResponse { int32 error_code = 1; string error_message = 2; }
  service ServerReflection {
    rpc ServerReflectionInfo(stream ServerReflectionRequest)
      returns (stream ServerReflectionResponse);
  }`

function connect(port: number, proto: string, service: string): Client & Record<string, any> {
  const { root } = protobuf.parse(proto, { keepCase: true })
  const definition = fromJSON(root.toJSON() as never, { keepCase: true, enums: String })[service]
  const Service = makeClientConstructor(definition as ServiceDefinition, service)
  return new Service(`127.0.0.1:${port}`, credentials.createInsecure())
}

async function checkHealth(
  port: number,
  service: string,
): Promise<{ status?: string; code?: number }> {
  const client = connect(port, health, 'grpc.health.v1.Health')
  const response = await new Promise<{ status?: string; code?: number }>((resolve) => {
    client.Check({ service }, (error: { code: number } | null, response: { status: string }) =>
      resolve(error ? { code: error.code } : response),
    )
  })
  client.close()
  return response
}

/** Sends one reflection request; returns the status code if the stream fails. */
async function reflect(port: number, version: string, reflectionRequest: object): Promise<any> {
  const service = `grpc.reflection.${version}.ServerReflection`
  const client = connect(port, reflection(version), service)
  const stream = client.ServerReflectionInfo()
  const response = await new Promise((resolve) => {
    stream.on('data', resolve)
    stream.on('error', ({ code }: { code: number }) => resolve({ code }))
    stream.write(reflectionRequest)
  })
  stream.cancel()
  client.close()
  return response
}

test('Check reports SERVING for the server and each service, without credentials', async (t) => {
  const services = new Set(environment.app.operations.map(({ service }) => `daikon.v1.${service}`))
  for (const service of ['', ...services])
    t.like(await checkHealth(environment.grpcPort, service), { status: 'SERVING' }, service)
  t.deepEqual(await checkHealth(environment.grpcPort, 'daikon.v1.Nothing'), { code: 5 })
  t.like(await checkHealth(nonDebugNode.grpcPort, ''), { status: 'SERVING' })
})

test('List reports the status of every service', async (t) => {
  const client = connect(environment.grpcPort, health, 'grpc.health.v1.Health')
  const { statuses } = await new Promise<{ statuses: Record<string, { status: string }> }>(
    (resolve, reject) =>
      client.List({}, (error: Error | null, response: never) =>
        error ? reject(error) : resolve(response),
      ),
  )
  client.close()
  t.deepEqual(statuses['daikon.v1.PermissionService'], { status: 'SERVING' })
  const declared = environment.app.operations.map(({ service }) => `daikon.v1.${service}`)
  for (const service of ['', ...declared])
    t.deepEqual(statuses[service], { status: 'SERVING' }, service)
})

test('a connection has at most 100 watches, and none of them outlives a drain', async (t) => {
  const node = await environment.addNode()
  const client = connect(node.grpcPort, health, 'grpc.health.v1.Health')
  t.teardown(() => client.close())
  const watch = (service: string) => {
    const stream = client.Watch({ service })
    const ended = new Promise<number>((resolve) => {
      stream.on('error', ({ code }: { code: number }) => resolve(code))
      stream.on('end', () => resolve(0))
    })
    return { ended, started: new Promise((resolve) => stream.once('data', resolve)), stream }
  }
  const watches = Array.from({ length: 100 }, (_, index) => watch(index % 2 ? '' : 'unknown'))
  await Promise.all(watches.map(({ started }) => started))
  t.is(await watch('').ended, 8)

  watches.pop()?.stream.cancel()
  // The server may notice the cancellation after the next stream.
  let replacement = watch('unknown')
  while ((await Promise.race([replacement.started, replacement.ended])) === 8)
    replacement = watch('unknown')
  t.deepEqual(await replacement.started, { status: 'SERVICE_UNKNOWN' })

  const startedAt = performance.now()
  await node.app.drain()
  t.true(performance.now() - startedAt < 15_000)
  t.is(await replacement.ended, 0)
})

test('a stream that was refused does not delay a drain', async (t) => {
  const node = await environment.addNode({ DEBUG: false })
  t.is((await reflect(node.grpcPort, 'v1', { list_services: '' })).code, 12)
  const startedAt = performance.now()
  await node.app.drain()
  t.true(performance.now() - startedAt < 15_000)
})

test('Watch reports each change once, and NOT_SERVING when the drain begins', async (t) => {
  const node = await environment.addNode()
  const client = connect(node.grpcPort, health, 'grpc.health.v1.Health')
  const stream = client.Watch({ service: 'daikon.v1.PermissionService' })
  stream.on('error', () => {})
  const statuses = stream[Symbol.asyncIterator]()
  t.like(await statuses.next(), { value: { status: 'SERVING' } })
  for (const serving of [true, false, false, true]) node.app.setServing(serving)
  t.like(await statuses.next(), { value: { status: 'NOT_SERVING' } })
  t.like(await statuses.next(), { value: { status: 'SERVING' } })
  const drained = node.app.drain()
  t.like(await statuses.next(), { value: { status: 'NOT_SERVING' } })
  stream.cancel()
  client.close()
  await drained
})

for (const version of ['v1', 'v1alpha']) {
  test(`server reflection ${version} lists the services`, async (t) => {
    const { list_services_response } = await reflect(environment.grpcPort, version, {
      list_services: '',
    })
    const names: string[] = list_services_response.service.map(({ name }: any) => name)
    const services = new Set(
      environment.app.operations.map(({ service }) => `daikon.v1.${service}`),
    )
    for (const service of services) t.true(names.includes(service), service)
    t.false(names.includes('daikon.v1.ScimService'))
  })

  test(`server reflection ${version} describes grpc.health.v1`, async (t) => {
    const file = await fetchFiles(version, 'grpc.health.v1.Health')
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }))
    const { check, watch } = registry.getService('grpc.health.v1.Health')?.method ?? {}
    t.is(check?.input.typeName, 'grpc.health.v1.HealthCheckRequest')
    t.is(watch?.methodKind, 'server_streaming')
  })

  test(`server reflection ${version} returns descriptors with policies and routes`, async (t) => {
    const file = await fetchFiles(version, 'daikon.v1.PermissionService')
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }))
    const check = registry.getService('daikon.v1.PermissionService')?.method.check
    const policy = registry.getExtension('daikon.v1.policy')
    const http = registry.getExtension('google.api.http')
    if (!check || !policy || !http) return t.fail('descriptors are missing')
    t.like(getOption(check, policy), { tier: 4, serviceField: 'checks.service_name' })
    t.like(getOption(check, http), { pattern: { case: 'post', value: '/permissions/check' } })
    const message = registry.getMessage('daikon.v1.PermissionCheck') as DescMessage
    t.deepEqual(
      message.fields.map(({ name, jsonName }) => [name, jsonName]),
      message.fields.map(({ name }) => [name, name]),
    )
  })

  test(`server reflection ${version} describes the messages of error details`, async (t) => {
    for (const type of ['ErrorInfo', 'BadRequest', 'RetryInfo']) {
      const file = await fetchFiles(version, `google.rpc.${type}`)
      const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }))
      t.truthy(registry.getMessage(`google.rpc.${type}`), type)
    }
  })

  test(`descriptors exported through server reflection ${version} compile again`, async (t) => {
    const services = new Set(environment.app.operations.map(({ service }) => service))
    const files = new Map<string, FileDescriptorProto>()
    for (const service of services)
      for (const file of await fetchFiles(version, `daikon.v1.${service}`))
        files.set(file.name, file)
    const set = create(FileDescriptorSetSchema, { file: [...files.values()] })
    const folder = await mkdtemp(join(tmpdir(), 'daikon-descriptors-'))
    t.teardown(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'set.binpb'), toBinary(FileDescriptorSetSchema, set))
    const { status, stderr } = spawnSync('buf', ['build', 'set.binpb'], {
      cwd: folder,
      encoding: 'utf8',
    })
    t.is(status, 0, stderr)
  })

  test(`server reflection ${version} is disabled without debug`, async (t) => {
    t.deepEqual(await reflect(nonDebugNode.grpcPort, version, { list_services: '' }), { code: 12 })
  })
}

/** Fetches the file of a symbol and its imports by name, as grpcurl does; imports come first. */
async function fetchFiles(version: string, symbol: string): Promise<FileDescriptorProto[]> {
  const files = new Map<string, FileDescriptorProto>()
  const fetch = async (reflectionRequest: object) => {
    const response = await reflect(environment.grpcPort, version, reflectionRequest)
    const [bytes] = response.file_descriptor_response.file_descriptor_proto
    const file = fromBinary(FileDescriptorProtoSchema, bytes)
    for (const name of file.dependency)
      if (!files.has(name)) await fetch({ file_by_filename: name })
    files.set(file.name, file)
  }
  await fetch({ file_containing_symbol: symbol })
  return [...files.values()]
}
