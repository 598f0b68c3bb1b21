import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js'
import protobuf from 'protobufjs'

/** The service definition, for grpc-js, of a service in a .proto text. */
export function protoService(protoText: string, serviceName: string): ServiceDefinition {
  const { root } = protobuf.parse(protoText)
  root.resolveAll()
  const service = root.lookupService(serviceName)
  const definition: Record<string, MethodDefinition<object, object>> = {}
  for (const method of service.methodsArray) {
    const request = method.resolvedRequestType!
    const response = method.resolvedResponseType!
    definition[method.name] = {
      path: `/${serviceName}/${method.name}`,
      requestStream: method.requestStream === true,
      responseStream: method.responseStream === true,
      requestSerialize: (message) => Buffer.from(request.encode(message).finish()),
      requestDeserialize: (bytes) => request.decode(bytes),
      responseSerialize: (message) => Buffer.from(response.encode(message).finish()),
      responseDeserialize: (bytes) => response.decode(bytes),
    }
  }
  return definition
}
