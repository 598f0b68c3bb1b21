import { parseArgs } from 'node:util'
import { runServe } from './command/serve.ts'
import { runStdio } from './command/stdio.ts'
import { VERSION } from './session/host.ts'
import { StartError } from './transport/listen-address.ts'

const HELP = `blockloom ${VERSION}: puzzle games as reinforcement-learning environments

Usage: blockloom COMMAND [OPTIONS]

Commands:
  stdio   serve one client over standard input and output, a line of JSON a message
  serve   serve gRPC clients

Options of stdio and serve:
  --allow-live-replay     give replays of episodes that are still in play

Options of serve:
  --listen ADDRESS        HOST:PORT or unix:PATH (default 127.0.0.1:50051); port 0 picks a free port
                          and prints it as one line
  --reflection            serve the gRPC reflection service, for grpcurl and the like
  --idle-timeout-s N      free environments of unary calls after N seconds without use (default 600)

Other options:
  --help, --version
`

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args
  switch (command) {
    case 'stdio': {
      const values = readOptions(rest, { 'allow-live-replay': { type: 'boolean', default: false } })
      return runStdio({ allowLiveReplay: values['allow-live-replay'] === true })
    }
    case 'serve': {
      const values = readOptions(rest, {
        listen: { type: 'string', default: '127.0.0.1:50051' },
        reflection: { type: 'boolean', default: false },
        'idle-timeout-s': { type: 'string', default: '600' },
        'allow-live-replay': { type: 'boolean', default: false },
      })
      return runServe({
        listen: String(values.listen),
        reflection: values.reflection === true,
        idleTimeoutS: positive('idle-timeout-s', String(values['idle-timeout-s'])),
        allowLiveReplay: values['allow-live-replay'] === true,
      })
    }
    case '--version':
      process.stdout.write(`${VERSION}\n`)
      return 0
    case '--help':
    case undefined:
      process.stdout.write(HELP)
      return command === undefined ? 2 : 0
    default:
      throw new StartError(`there is no command ${JSON.stringify(command)}; see blockloom --help`)
  }
}

type OptionSpecs = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

function readOptions(args: string[], options: OptionSpecs) {
  try {
    return parseArgs({ args, options, strict: true }).values
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error))
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new StartError(`--${name} is ${JSON.stringify(text)}; allowed: a number above 0`)
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`blockloom: ${error.message}\n`)
    process.exit(2)
  },
)
