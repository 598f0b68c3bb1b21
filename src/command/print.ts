let watched = false

/** Writes to standard output; a reader that went away, such as `head`, ends the process without a word. */
export function print(text: string): void {
  if (!watched) {
    watched = true
    process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  }
  process.stdout.write(text)
}
