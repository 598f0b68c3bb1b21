import { benchCommand } from './command/bench.ts'
import { checkCommand } from './command/check/check.ts'
import type { Command } from './command/command.ts'
import { inspectCommand } from './command/inspect.ts'
import { playCommand } from './command/play/play.ts'
import { replayCommand } from './command/replay.ts'
import { serveCommand } from './command/serve.ts'
import { stdioCommand } from './command/stdio.ts'
import { isWatchThread } from './command/stdio-parent.ts'
import { VERSION } from './session/host.ts'
import { StartError } from './transport/listen-address.ts'

/** Every command, in the order of the help. A new command is its file and one entry here. */
const COMMANDS: readonly Command[] = [
  stdioCommand,
  serveCommand,
  playCommand,
  inspectCommand,
  checkCommand,
  replayCommand,
  benchCommand,
]

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === '--version') return print(`${VERSION}\n`, 0)
  if (name === '--help' || name === undefined) return print(help(), name === undefined ? 2 : 0)
  const command = COMMANDS.find((candidate) => candidate.name === name)
  if (command === undefined) {
    throw new StartError(`there is no command ${JSON.stringify(name)}; see blockloom --help`)
  }
  if (rest.includes('--help')) return print(command.help, 0)
  return command.run(rest)
}

function help(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length))
  const commands = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return `blockloom ${VERSION}: puzzle games as reinforcement-learning environments

Usage: blockloom COMMAND [ARGUMENTS]

Commands:
${commands.join('\n')}

blockloom COMMAND --help shows the arguments of a command; --version shows the version.
`
}

function print(text: string, code: number): number {
  process.stdout.write(text)
  return code
}

if (!isWatchThread()) {
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error: unknown) => {
      if (!(error instanceof StartError)) throw error
      process.stderr.write(`blockloom: ${error.message}\n`)
      process.exit(2)
    },
  )
}
