import {
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { protoService } from './proto-service.ts'

/** The standard health service, version 1: https://github.com/grpc/grpc-proto, grpc/health/v1. */
export const HEALTH_PROTO = `
  syntax = "proto3";
  package grpc.health.v1;
  message HealthCheckRequest { string service = 1; }
  message HealthCheckResponse {
    enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
    ServingStatus status = 1;
  }
  service Health {
    rpc Check(HealthCheckRequest) returns (HealthCheckResponse);
    rpc Watch(HealthCheckRequest) returns (stream HealthCheckResponse);
  }
`
const SERVING = 1
const SERVICE_UNKNOWN = 3

interface HealthRequest {
  readonly service: string
}

/** Serves health: SERVING for the server as a whole ("") and for one service by name. */
export function addHealthService(server: Server, serviceName: string): void {
  const isKnown = (service: string) => service === '' || service === serviceName
  server.addService(protoService(HEALTH_PROTO, 'grpc.health.v1.Health'), {
    Check: ({ request }: ServerUnaryCall<HealthRequest, object>, callback: sendUnaryData<object>) => {
      if (isKnown(request.service)) callback(null, { status: SERVING })
      else callback({ code: status.NOT_FOUND, details: 'there is no such service here' })
    },
    Watch: (stream: ServerWritableStream<HealthRequest, object>) => {
      stream.write({ status: isKnown(stream.request.service) ? SERVING : SERVICE_UNKNOWN })
    },
  })
}
