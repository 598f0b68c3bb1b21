import { Metadata, type StatusObject } from '@grpc/grpc-js'
import protobuf from 'protobufjs'
import { type EnvError, ERROR_CODES } from '../env/env-error.ts'

/** The standard's rich error: google.rpc.Status with one google.rpc.ErrorInfo, in a trailing header. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
`)
const Status = root.lookupType('google.rpc.Status')
const ErrorInfo = root.lookupType('google.rpc.ErrorInfo')

/** A refusal as a gRPC status: the code, the message, and reason and metadata as ErrorInfo. */
export function grpcStatus(error: EnvError): StatusObject {
  const code = ERROR_CODES[error.code]
  const info = ErrorInfo.encode({
    reason: error.reason,
    domain: 'blockloom',
    metadata: error.metadata,
  }).finish()
  const details = [{ typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo', value: info }]
  const metadata = new Metadata()
  metadata.set(
    'grpc-status-details-bin',
    Buffer.from(Status.encode({ code, message: error.message, details }).finish()),
  )
  return { code, details: error.message, metadata }
}
