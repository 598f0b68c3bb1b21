import { parseArgs } from 'node:util'
import { StartError } from '../transport/listen-address.ts'

/** An option of a command; `value` names what it takes, and one without is a switch. */
export interface CommandOption {
  readonly value?: string
  /** Whether it may be given more than once. */
  readonly multiple?: true
  /** For the help, one line each. */
  readonly help: readonly string[]
}

/** A command of the command line. */
export interface Command {
  readonly name: string
  /** What it does, for the list of commands, without a capital or a full stop. */
  readonly summary: string
  /** What `blockloom NAME --help` prints. */
  readonly help: string
  /** Takes the arguments after the name; resolves to the exit code, throws StartError for what the caller must mend. */
  run(args: readonly string[]): Promise<number>
}

/** A command whose options are declared. */
export interface DeclaredCommand {
  readonly name: string
  /** The arguments as the help shows them, such as `GAME [OPTIONS]`. */
  readonly usage: string
  readonly maxPositionals: number
  /** What it does, without a capital or a full stop. */
  readonly summary: string
  /** More lines for the help, after the options. */
  readonly notes?: readonly string[]
  readonly options: { readonly [name: string]: CommandOption }
  run(given: Arguments): Promise<number>
}

/** A command made of its declaration. */
export function declareCommand(declared: DeclaredCommand): Command {
  const { name, summary } = declared
  return {
    name,
    summary,
    help: commandHelp(declared),
    run: (args) => declared.run(new Arguments(declared, args)),
  }
}

/** What was given on the command line, checked against a command's options. */
export class Arguments {
  readonly positionals: readonly string[]
  readonly #values: { readonly [name: string]: string | boolean | (string | boolean)[] | undefined }

  /** Throws StartError for an option that the command does not have. */
  constructor(command: DeclaredCommand, args: readonly string[]) {
    const options = Object.entries(command.options).map(([name, option]) => [
      name,
      {
        type: option.value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: option.multiple === true,
      },
    ])
    try {
      const parsed = parseArgs({
        args: joinNegativeNumbers(command, args),
        options: Object.fromEntries(options),
        allowPositionals: true,
      })
      this.positionals = parsed.positionals
      this.#values = parsed.values
    } catch (error) {
      throw new StartError(error instanceof Error ? error.message.split('\n')[0]! : String(error))
    }
    if (this.positionals.length > command.maxPositionals) {
      const extra = JSON.stringify(this.positionals[command.maxPositionals])
      throw new StartError(`${command.name} takes no argument ${extra}; see blockloom ${command.name} --help`)
    }
  }

  /** Whether a switch was given. */
  flag(name: string): boolean {
    return this.#values[name] === true
  }

  /** The text of an option, or undefined. */
  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === 'string' ? value : undefined
  }

  /** The texts of an option that may be given more than once. */
  texts(name: string): readonly string[] {
    const value = this.#values[name]
    return Array.isArray(value) ? value.map(String) : []
  }

  /** An option as an integer in a range, or undefined; throws StartError. */
  integer(name: string, min: number, max: number): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new StartError(`--${name} is ${JSON.stringify(text)}; allowed: an integer from ${min} to ${max}`)
  }
}

/** `--seed -5` as `--seed=-5`, which the parser would take for two options. */
function joinNegativeNumbers({ options }: DeclaredCommand, args: readonly string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const last = joined.at(-1) ?? ''
    const takesValue = last.startsWith('--') && options[last.slice(2)]?.value !== undefined
    if (takesValue && /^-\d/.test(arg)) joined[joined.length - 1] = `${last}=${arg}`
    else joined.push(arg)
  }
  return joined
}

function commandHelp({ name, usage, summary, options, notes }: DeclaredCommand): string {
  const sentence = `${summary[0]!.toUpperCase()}${summary.slice(1)}.`
  const lines = [`Usage: blockloom ${name} ${usage}`, '', sentence, '', 'Options:']
  for (const [option, { value, help }] of Object.entries(options)) {
    const left = `  --${option}${value === undefined ? '' : ` ${value}`}`
    help.forEach((text, i) => {
      lines.push(`${(i === 0 ? left : '').padEnd(26)}${text}`)
    })
  }
  if (notes !== undefined) lines.push('', ...notes)
  return `${lines.join('\n')}\n`
}
