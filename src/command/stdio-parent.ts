/** How often to look whether the parent process is still there, in milliseconds. */
const PARENT_WATCH_MS = 500

/**
 * Calls back when the parent process has ended, or the one named. A forked sibling may hold the pipe open, so the
 * end of input alone does not tell; and the parent may have ended before this process could look for the first
 * time, so its number alone does not either.
 */
export function watchParent(pid: number | undefined, onDeath: () => void): void {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent || (pid !== undefined && !isAlive(pid))) onDeath()
  }, PARENT_WATCH_MS).unref()
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
