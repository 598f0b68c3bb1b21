import protobuf from 'protobufjs'
import descriptorJson from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' }

/**
 * File descriptors in Google's own format, for reflection and for clients that build messages at run time.
 * Made from a parsed .proto file, since there is no protoc here.
 */

const TYPE_NUMBERS: { readonly [type: string]: number } = {
  double: 1,
  float: 2,
  int32: 5,
  bool: 8,
  string: 9,
  bytes: 12,
}
const TYPE_MESSAGE = 11
const TYPE_ENUM = 14
const LABEL_OPTIONAL = 1
const LABEL_REPEATED = 3

const descriptorRoot = protobuf.Root.fromJSON(descriptorJson as protobuf.INamespace)
const FileDescriptorProto = descriptorRoot.lookupType('google.protobuf.FileDescriptorProto')
const FileDescriptorSet = descriptorRoot.lookupType('google.protobuf.FileDescriptorSet')

/** The encoded FileDescriptorProto of a .proto file without imports. */
export function fileDescriptor(name: string, protoText: string): Uint8Array {
  return FileDescriptorProto.encode(describeFile(name, protoText)).finish()
}

/** The encoded FileDescriptorSet of one .proto file without imports. */
export function fileDescriptorSet(name: string, protoText: string): Uint8Array {
  return FileDescriptorSet.encode({ file: [describeFile(name, protoText)] }).finish()
}

function describeFile(name: string, protoText: string): object {
  const parsed = protobuf.parse(protoText, { keepCase: true })
  parsed.root.resolveAll()
  const scope = parsed.root.lookup(parsed.package!) as protobuf.Namespace
  const things = scope.nestedArray
  return {
    name,
    package: parsed.package,
    syntax: 'proto3',
    messageType: things.filter((thing) => thing instanceof protobuf.Type).map(describeMessage),
    enumType: things.filter((thing) => thing instanceof protobuf.Enum).map(describeEnum),
    service: things.filter((thing) => thing instanceof protobuf.Service).map(describeService),
  }
}

function describeMessage(type: protobuf.Type): object {
  // A synthetic oneof of an `optional` field comes after the real ones.
  const oneofs = [...type.oneofsArray].sort((a, b) => Number(isSynthetic(a)) - Number(isSynthetic(b)))
  return {
    name: type.name,
    field: type.fieldsArray.map((field) => describeField(field, oneofs)),
    nestedType: type.fieldsArray.filter((field) => field.map).map(describeMapEntry),
    enumType: type.nestedArray.filter((thing) => thing instanceof protobuf.Enum).map(describeEnum),
    oneofDecl: oneofs.map(({ name }) => ({ name })),
  }
}

function isSynthetic(oneof: protobuf.OneOf): boolean {
  return oneof.fieldsArray.length === 1 && isOptional(oneof.fieldsArray[0]!)
}

function isOptional(field: protobuf.Field): boolean {
  return field.options?.proto3_optional === true
}

function describeField(field: protobuf.Field, oneofs: readonly protobuf.OneOf[]): object {
  const described = {
    name: field.name,
    jsonName: field.name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    number: field.id,
    label: field.repeated || field.map ? LABEL_REPEATED : LABEL_OPTIONAL,
  }
  if (field.map) {
    const parent = (field.parent as protobuf.Type).fullName
    return { ...described, type: TYPE_MESSAGE, typeName: `${parent}.${entryName(field)}` }
  }
  return {
    ...described,
    ...typeOf(field),
    ...(field.partOf && { oneofIndex: oneofs.indexOf(field.partOf) }),
    ...(isOptional(field) && { proto3Optional: true }),
  }
}

function typeOf(field: protobuf.Field): object {
  const { resolvedType } = field
  if (resolvedType === null) return { type: TYPE_NUMBERS[field.type] }
  return {
    type: resolvedType instanceof protobuf.Enum ? TYPE_ENUM : TYPE_MESSAGE,
    typeName: resolvedType.fullName,
  }
}

/** protoc's name for the message that a map's entries are. */
function entryName(field: protobuf.Field): string {
  return `${field.name.replace(/(^|_)(.)/g, (_, __, letter: string) => letter.toUpperCase())}Entry`
}

function describeMapEntry(field: protobuf.Field): object {
  const map = field as unknown as protobuf.MapField
  return {
    name: entryName(field),
    field: [
      { name: 'key', jsonName: 'key', number: 1, label: LABEL_OPTIONAL, type: TYPE_NUMBERS[map.keyType] },
      { name: 'value', jsonName: 'value', number: 2, label: LABEL_OPTIONAL, ...typeOf(field) },
    ],
    options: { mapEntry: true },
  }
}

function describeEnum(type: protobuf.Enum): object {
  return { name: type.name, value: Object.entries(type.values).map(([name, number]) => ({ name, number })) }
}

function describeService(service: protobuf.Service): object {
  return {
    name: service.name,
    method: service.methodsArray.map((method) => ({
      name: method.name,
      inputType: method.resolvedRequestType!.fullName,
      outputType: method.resolvedResponseType!.fullName,
      ...(method.requestStream && { clientStreaming: true }),
      ...(method.responseStream && { serverStreaming: true }),
    })),
  }
}
