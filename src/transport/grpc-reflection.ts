import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js'
import protobuf from 'protobufjs'
import { contractText } from '../session/contract.ts'
import { fileDescriptor } from '../session/descriptors.ts'
import { HEALTH_PROTO } from './grpc-health.ts'
import { protoService } from './proto-service.ts'

/** The standard reflection service: https://github.com/grpc/grpc-proto, grpc/reflection. */
const reflectionProto = (version: string) => `
  syntax = "proto3";
  package grpc.reflection.${version};
  service ServerReflection {
    rpc ServerReflectionInfo(stream ServerReflectionRequest) returns (stream ServerReflectionResponse);
  }
  message ServerReflectionRequest {
    string host = 1;
    oneof message_request {
      string file_by_filename = 3;
      string file_containing_symbol = 4;
      ExtensionRequest file_containing_extension = 5;
      string all_extension_numbers_of_type = 6;
      string list_services = 7;
    }
  }
  message ExtensionRequest { string containing_type = 1; int32 extension_number = 2; }
  message ServerReflectionResponse {
    string valid_host = 1;
    ServerReflectionRequest original_request = 2;
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
`

interface ReflectionRequest {
  readonly host: string
  readonly fileByFilename?: string
  readonly fileContainingSymbol?: string
  readonly listServices?: string
}

/** A .proto file that is served, with the full names of all that it declares. */
interface DescribedFile {
  readonly name: string
  readonly descriptor: Uint8Array
  readonly symbols: ReadonlySet<string>
  readonly services: readonly string[]
}

const VERSIONS = ['v1', 'v1alpha']

/** Serves the descriptors of every service here, in both versions of reflection that tools ask for. */
export function addReflectionService(server: Server): void {
  const files = [
    describe('blockloom/v1/environment.proto', contractText()),
    describe('grpc/health/v1/health.proto', HEALTH_PROTO),
    ...VERSIONS.map((version) =>
      describe(`grpc/reflection/${version}/reflection.proto`, reflectionProto(version)),
    ),
  ]
  for (const version of VERSIONS) {
    const name = `grpc.reflection.${version}.ServerReflection`
    server.addService(protoService(reflectionProto(version), name), {
      ServerReflectionInfo: (stream: ServerDuplexStream<ReflectionRequest, object>) => {
        stream.on('data', (request: ReflectionRequest) => {
          stream.write({ validHost: request.host, originalRequest: request, ...answer(request, files) })
        })
        stream.on('end', () => stream.end())
      },
    })
  }
}

function describe(name: string, protoText: string): DescribedFile {
  const { root } = protobuf.parse(protoText, { keepCase: true })
  const symbols = new Set<string>()
  const services: string[] = []
  const visit = (thing: protobuf.ReflectionObject): void => {
    const fullName = thing.fullName.slice(1)
    if (!isPackage(thing)) symbols.add(fullName)
    if (thing instanceof protobuf.Service) {
      services.push(fullName)
      for (const method of thing.methodsArray) symbols.add(`${fullName}.${method.name}`)
    }
    if (thing instanceof protobuf.Namespace) thing.nestedArray.forEach(visit)
  }
  visit(root)
  return { name, descriptor: fileDescriptor(name, protoText), symbols, services }
}

/** A package holds symbols and is none. */
function isPackage(thing: protobuf.ReflectionObject): boolean {
  return thing.constructor === protobuf.Namespace || thing instanceof protobuf.Root
}

function answer(request: ReflectionRequest, files: readonly DescribedFile[]): object {
  if (Object.hasOwn(request, 'listServices')) {
    const names = files.flatMap(({ services }) => services)
    return { listServicesResponse: { service: names.map((name) => ({ name })) } }
  }
  const symbol = request.fileContainingSymbol ?? ''
  const file = files.find(({ name, symbols }) => name === request.fileByFilename || symbols.has(symbol))
  return file === undefined
    ? notFound()
    : { fileDescriptorResponse: { fileDescriptorProto: [file.descriptor] } }
}

function notFound(): object {
  return {
    errorResponse: { errorCode: status.NOT_FOUND, errorMessage: 'there is no such symbol or file here' },
  }
}
