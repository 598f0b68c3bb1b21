import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js'
import { contractText, SERVICE_NAME } from '../session/contract.ts'
import { fileDescriptor } from '../session/descriptors.ts'
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

const FILE_NAME = 'blockloom/v1/environment.proto'
const PACKAGE = 'blockloom.v1.'

interface ReflectionRequest {
  readonly host: string
  readonly fileByFilename?: string
  readonly fileContainingSymbol?: string
  readonly listServices?: string
}

/** Serves the contract's descriptors, in both versions that tools ask for. */
export function addReflectionService(server: Server): void {
  const descriptor = fileDescriptor(FILE_NAME, contractText())
  for (const version of ['v1', 'v1alpha']) {
    const name = `grpc.reflection.${version}.ServerReflection`
    server.addService(protoService(reflectionProto(version), name), {
      ServerReflectionInfo: (stream: ServerDuplexStream<ReflectionRequest, object>) => {
        stream.on('data', (request: ReflectionRequest) => {
          const reply = { validHost: request.host, originalRequest: request, ...answer(request, descriptor) }
          if (stream.write(reply)) return
          stream.pause()
          stream.once('drain', () => stream.resume())
        })
        stream.on('end', () => stream.end())
      },
    })
  }
}

function answer(request: ReflectionRequest, descriptor: Uint8Array): object {
  if (Object.hasOwn(request, 'listServices')) {
    return { listServicesResponse: { service: [{ name: SERVICE_NAME }] } }
  }
  const symbol = request.fileContainingSymbol ?? ''
  if (request.fileByFilename === FILE_NAME || symbol.startsWith(PACKAGE)) {
    return { fileDescriptorResponse: { fileDescriptorProto: [descriptor] } }
  }
  return {
    errorResponse: { errorCode: status.NOT_FOUND, errorMessage: 'there is no such symbol or file here' },
  }
}
