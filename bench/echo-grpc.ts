/**
 * A gRPC server with nothing in it: a message that starts with a number is answered with one of so many bytes, over
 * the stream `/echo.Echo/Session`. `node --import tsx bench/echo-grpc.ts ADDRESS` prints the port once it listens.
 */
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js'

const answers = new Map<number, Buffer>()

function answer(request: Buffer): Buffer {
  const bytes = Number.parseInt(request.toString('latin1'), 10)
  const known = answers.get(bytes) ?? Buffer.alloc(bytes, 'x')
  answers.set(bytes, known)
  return known
}

const server = new Server({ 'grpc.max_send_message_length': -1 })
const asIs = (bytes: Buffer) => bytes
server.addService(
  {
    Session: {
      path: '/echo.Echo/Session',
      requestStream: true,
      responseStream: true,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    },
  },
  {
    Session: (stream: ServerDuplexStream<Buffer, Buffer>) => {
      stream.on('data', (request: Buffer) => stream.write(answer(request)))
      stream.on('end', () => stream.end())
      stream.on('error', () => undefined)
    },
  },
)
server.bindAsync(process.argv[2]!, ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  console.log(port)
})
